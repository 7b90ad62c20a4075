import { describe, expect, it } from 'vitest'
import { estimateLargeTokens } from './estimate-large-tokens.ts'
import { estimateTokens } from './estimate-tokens.ts'

describe('estimateLargeTokens', () => {
  it('is the plain estimate for a text of up to 128 K characters', () => {
    const text = 'some words on a line, 12 of them\n'.repeat(3_000)
    expect(estimateLargeTokens(text)).toBe(estimateTokens(text))
  })

  it('is near the plain estimate for a long text of changing content', () => {
    const parts = ['plain words and more of them\n', '0f9a8b7c6d5e4f3a2b1c\n', '{"id":12345,"name":"someone"}\n']
    const text = parts.map((part) => part.repeat(40_000)).join('')
    const exact = estimateTokens(text)
    expect(Math.abs(estimateLargeTokens(text) - exact)).toBeLessThan(exact * 0.1)
  })
})
