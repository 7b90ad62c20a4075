import { describe, expect, it } from 'vitest'
import { previewWithin, type Input } from './implementation.ts'
import { countTokens } from './tokens.mjs'

const INPUT: Input = {
  text: Array.from({ length: 5_000 }, (_, line) => `line ${line} of the text`).join('\n'),
  contentType: 'text/plain',
  toolName: 'bash',
  budgetTokens: 500,
}
const frame = 'A frame that every preview has.\n'.repeat(20)

describe('a preview within the budget', () => {
  it('is as large as the budget allows, even if a size setting leaves parts out', async () => {
    const preview = ({ text, chars = 0 }: Input): string => frame + text.slice(0, chars)
    const tokens = countTokens(await previewWithin({ name: 'framed', sized: true, preview }, INPUT))
    expect(tokens).toBeLessThanOrEqual(500)
    expect(tokens).toBeGreaterThan(490)
  })

  it('is cut if there is no size setting, or if the smallest size exceeds the budget', async () => {
    for (const sized of [false, true]) {
      const preview = await previewWithin({ name: 'fixed', sized, preview: ({ text }) => frame + text }, INPUT)
      expect(preview.startsWith(frame)).toBe(true)
      expect(countTokens(preview)).toBeLessThanOrEqual(500)
    }
  })
})
