import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPatternMatcher } from '../platform/node.ts'
import { createLiteralMatcher, escapePattern, isPlainLiteral } from './literal-matcher.ts'

const texts = fc
  .array(fc.constantFrom('a', 'b', 'A', '-', '/', 'é', ' ', '\n', '\r\n', '\r'), { maxLength: 40 })
  .map((parts) => parts.join(''))

describe('createLiteralMatcher', () => {
  it('finds what the same pattern finds as a regular expression', async () => {
    const literals = fc.constantFrom('a', 'ab', 'aa', 'É', '-', '/a', ' ', 'b-A')
    await fc.assert(
      fc.asyncProperty(texts, literals, fc.boolean(), fc.nat(3), async (text, literal, ignoreCase, from) => {
        const start = Math.min(from, text.search(/\r?\n|$/))
        const expected = await createPatternMatcher(literal, { ignoreCase, unicode: false }, 10_000).match(text, start)
        expect(await createLiteralMatcher(literal, { ignoreCase, unicode: false }, 10_000).match(text, start)).toEqual(
          expected,
        )
      }),
      { numRuns: 500 },
    )
  })

  it('lets timers run while it searches much', async () => {
    const matcher = createLiteralMatcher('needle', { ignoreCase: true, unicode: false }, 60_000)
    const text = 'n'.repeat(matcher.maxTextLength)
    const timer = new Promise((resolve) => setTimeout(resolve, 1, 'timer'))
    const search = async (): Promise<string> => {
      for (let batch = 0; batch < 2_000; batch++) await matcher.match(text)
      return 'search'
    }
    expect(await Promise.race([search(), timer])).toBe('timer')
  })
})

describe('isPlainLiteral', () => {
  it('holds for short text without special characters', () => {
    for (const pattern of ['error', 'user@example', 'a b', '/usr/bin', "it's: 50%", 'é'])
      expect(isPlainLiteral(pattern)).toBe(true)
    for (const pattern of [
      'a.b',
      'a|b',
      '^a',
      'a$',
      'a(',
      '[a]',
      'a{2}',
      'a\\b',
      'a*',
      'a+',
      'a?',
      'a\nb',
      'a\r',
      'x'.repeat(65),
    ]) {
      expect(isPlainLiteral(pattern)).toBe(false)
    }
  })
})

describe('escapePattern', () => {
  it('makes a regular expression that matches the text and nothing else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const regex = new RegExp(`^(?:${escapePattern(text)})$`)
        expect(regex.test(text)).toBe(true)
        expect(regex.test(other)).toBe(other === text)
      }),
    )
  })
})
