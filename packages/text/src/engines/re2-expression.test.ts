import { propertyRuns } from '@spillway-internal/test-run'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PatternFlags } from '../platform/platform.ts'
import { writeRe2Expression } from './re2-expression.ts'

const PLAIN = { ignoreCase: false, unicode: false }

interface Re2 {
  lastIndex: number
  exec(text: string): { readonly 0: string; readonly index: number } | null
}

/** The module `re2`, where it is installed, or at the path that SPILLWAY_RE2 names; it compiles for a minute. */
function loadRe2(): (new (source: string, flags: string) => Re2) | undefined {
  try {
    return createRequire(import.meta.url)(process.env['SPILLWAY_RE2'] ?? 're2')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

const RE2 = loadRe2()

const CHARACTERS = [
  'a',
  'b',
  'A',
  'k',
  'K',
  's',
  '1',
  '_',
  ' ',
  '\t',
  '.',
  '-',
  '\r',
  'é',
  'É',
  'ß',
  'ſ',
  '\u212a',
  '中',
]
const ODD = ['\u00a0', '\ufeff', '\u2028', '\v', '\u0085', '\u0301', '\0', '\u1680', '\uffff']

const character = fc.constantFrom(...CHARACTERS, ...ODD)
const literal = character.map((text) => text.replace(/[.-]/, '\\$&'))
const member = fc.oneof(
  literal,
  fc.constantFrom(
    'a-z',
    'A-K',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\x00-\\x7f',
    '\\u0100-\\uffff',
    '^',
    ']'.padStart(2, '\\'),
  ),
)
const set = fc
  .tuple(fc.constantFrom('[', '[^'), fc.array(member, { minLength: 1, maxLength: 3 }))
  .map(([open, members]) => `${open}${members.join('')}]`)
const atom = fc.oneof(
  literal,
  set,
  fc.constantFrom(
    '.',
    '\\d',
    '\\w',
    '\\s',
    '\\S',
    '\\W',
    '\\D',
    '^',
    '$',
    '\\b',
    '\\B',
    '(?:)',
    '(?=a)',
    '(?<!a)',
    '(a)\\1',
    '[^]',
  ),
)
const repeats = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}', '{0}', '*?', '+?', '??', '{1,2}?')
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small' },
    atom,
    fc.tuple(fc.oneof(literal, set), repeats).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => `(?:${parts.join('|')})`),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern'), repeats)
      .map(([open, inner, repeat]) => `${open}${inner})${repeat}`),
  ),
}))
const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(''))

describe('writeRe2Expression', () => {
  it('refuses syntax that RE2 lacks or reads differently', () => {
    const refused = (source: string, flags: Partial<PatternFlags> = {}): boolean =>
      writeRe2Expression(source, { ...PLAIN, ...flags }) === undefined
    for (const source of ['(a)\\1', 'a(?=b)', '(?<!a)b', '(?:a?)*', '(|a)+', '(\\b)?', 'a{1001}', '(a{100}){99}', '[]'])
      expect(refused(source), source).toBe(true)
    expect(refused('é', { ignoreCase: true })).toBe(true)
    expect(refused('a', { ignoreCase: true, unicode: true })).toBe(true)
    expect(refused('\\p{Lu}', { unicode: true })).toBe(true)
    expect(refused('😀')).toBe(true)
    for (const source of ['(a+)+$', '(a|aa)+$', '(.*a){12}$', '(\\w+\\s?)*$', '[^]', 'é', 'a{1000}'])
      expect(refused(source), source).toBe(false)
    expect(refused('😀', { unicode: true })).toBe(false)
  })

  it('marks expressions that hold for ASCII alone', () => {
    const asciiOnly = (source: string, ignoreCase = false): boolean | undefined =>
      writeRe2Expression(source, { ignoreCase, unicode: false })?.asciiOnly
    expect([asciiOnly('a\\b'), asciiOnly('a\\B'), asciiOnly('a', true)]).toEqual([false, true, true])
  })

  it('counts repeats in its size as RE2 expands them', () => {
    const sizeOf = (source: string): number => writeRe2Expression(source, PLAIN)?.size ?? 0
    expect(sizeOf('a{1000}')).toBeGreaterThan(999)
    expect(sizeOf('(?:(?:ab){10}c){20}')).toBeGreaterThan(20 * 21)
    expect(sizeOf('ERROR.*timeout')).toBeLessThan(30)
  })

  it.skipIf(RE2 === undefined)('matches by RE2 what V8 matches (skipped where re2 is not installed)', () => {
    let compared = 0
    const flags = fc.record({ ignoreCase: fc.boolean(), unicode: fc.boolean() })
    fc.assert(
      fc.property(
        pattern,
        flags,
        fc.array(text, { minLength: 5, maxLength: 5 }),
        fc.nat(3),
        (source, how, texts, from) => {
          const names = `gs${how.ignoreCase ? 'i' : ''}${how.unicode ? 'u' : ''}`
          fc.pre(isValid(source, names))
          const expression = writeRe2Expression(source, how)
          if (expression === undefined) return
          const re2 = new RE2!(expression.source, 'g')
          const v8 = new RegExp(source, names)
          for (const each of texts) {
            if (expression.asciiOnly && /[^\x00-\x7f]/.test(each)) continue
            compared++
            const start = Math.min(from, each.length)
            re2.lastIndex = start
            v8.lastIndex = start
            const expected = v8.exec(each)
            const found = re2.exec(each)
            expect([found?.index, found?.[0]], JSON.stringify([source, expression.source, names, each, start])).toEqual(
              [expected?.index, expected?.[0]],
            )
          }
        },
      ),
      propertyRuns(2_000, 50_000),
    )
    expect(compared).toBeGreaterThan(2_000)
  })
})

function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
