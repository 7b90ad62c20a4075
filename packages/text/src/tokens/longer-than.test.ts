import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { longerThan } from './longer-than.ts'

describe('longerThan', () => {
  it('agrees with counting the whole text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000 }), fc.nat(1_500), (text, limit) => {
        expect(longerThan(text, limit, countTokens)).toBe(countTokens(text) > limit)
      }),
    )
  })

  it('does not count a text of exactly the limit as longer', () => {
    const text = 'word '.repeat(1_000)
    expect(longerThan(text, countTokens(text), countTokens)).toBe(false)
    expect(longerThan(text, countTokens(text) - 1, countTokens)).toBe(true)
  })

  it('looks at no more of a huge text than the answer needs', () => {
    let seen = 0
    const counting = (text: string): number => {
      seen += text.length
      return countTokens(text)
    }
    expect(longerThan('some words on a line\n'.repeat(1_000_000), 1_000, counting)).toBe(true)
    expect(seen).toBeLessThan(50_000)
  })

  it('needs no counting without a limit', () => {
    expect(longerThan('a', Infinity, () => expect.unreachable())).toBe(false)
  })
})
