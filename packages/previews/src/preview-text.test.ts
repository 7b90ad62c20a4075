import { describe, expect, it } from 'vitest'
import { previewText } from './preview-text.ts'

describe('previewText', () => {
  it.each([
    [new Uint8Array(1), { budgetTokens: 100 }, 'needs a string'],
    ['text', undefined, 'budgetTokens must be a number'],
    ['text', { maxTokens: 100 }, 'budgetTokens must be a number'],
    ['text', { budgetTokens: '100' }, 'budgetTokens must be a number'],
  ])('rejects a text or a budget of the wrong type (%#)', async (text, options, message) => {
    await expect(previewText(text as never, options as never)).rejects.toThrow(message)
  })
})
