import { propertyRuns } from '@spillway-internal/test-run'
import { codePoint } from '@spillway-internal/test-run/code-point'
import { seededRandom } from '@spillway-internal/test-run/seeded-random'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it, test } from 'vitest'
import { NATURAL_TEXTS } from '../../test/natural-texts.ts'
import {
  checkedCountTokens,
  estimateLargeTokens,
  estimateTokens,
  longerThan,
  TokenSampler,
  type CountTokens,
} from './estimate-tokens.ts'

const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() }

/** Blocks of Unicode, by their first and last character. */
const BLOCKS: Readonly<Record<string, readonly [number, number]>> = {
  'printable ASCII': [0x20, 0x7e],
  'small letters': [0x61, 0x7a],
  'capital letters': [0x41, 0x5a],
  'hexadecimal capitals': [0x30, 0x46],
  'C1 controls': [0x80, 0x9f],
  'Latin-1': [0xa0, 0xff],
  'Latin Extended': [0x100, 0x24f],
  phonetics: [0x250, 0x2af],
  'combining accents': [0x300, 0x36f],
  Greek: [0x391, 0x3c9],
  Cyrillic: [0x400, 0x4ff],
  'small Cyrillic': [0x430, 0x44f],
  Armenian: [0x531, 0x586],
  Hebrew: [0x5d0, 0x5ea],
  Arabic: [0x600, 0x6ff],
  Thaana: [0x780, 0x7b1],
  Devanagari: [0x900, 0x97f],
  Bengali: [0x980, 0x9ff],
  Tamil: [0xb80, 0xbff],
  Telugu: [0xc00, 0xc7f],
  Malayalam: [0xd00, 0xd7f],
  Sinhala: [0xd80, 0xdff],
  Thai: [0xe01, 0xe4e],
  Lao: [0xe80, 0xeff],
  Tibetan: [0xf00, 0xfff],
  Burmese: [0x1000, 0x109f],
  Georgian: [0x10d0, 0x10f0],
  'Hangul jamo': [0x1100, 0x11ff],
  Ethiopic: [0x1200, 0x137f],
  Cherokee: [0x13a0, 0x13f5],
  Khmer: [0x1780, 0x17ff],
  'Latin Extended Additional': [0x1e00, 0x1eff],
  'Greek Extended': [0x1f00, 0x1fff],
  punctuation: [0x2010, 0x2060],
  mathematics: [0x2200, 0x22ff],
  'box drawing': [0x2500, 0x257f],
  Braille: [0x2800, 0x28ff],
  Hiragana: [0x3041, 0x3096],
  Katakana: [0x30a1, 0x30fa],
  'rare ideographs': [0x3400, 0x4dbf],
  ideographs: [0x4e00, 0x9fff],
  Yi: [0xa000, 0xa48c],
  Hangul: [0xac00, 0xd7a3],
  'lone surrogates': [0xd800, 0xdbff],
  'private use': [0xe000, 0xf8ff],
  'Arabic forms': [0xfb50, 0xfdff],
  cuneiform: [0x12000, 0x12399],
  emoji: [0x1f300, 0x1f5ff],
  'any character': [0, 0x10ffff],
}

const samples: Record<string, string> = {
  prose: 'The quick brown fox jumps over the lazy dog, and nobody knows why it does so every morning. '.repeat(20),
  log: Array.from(
    { length: 40 },
    (_, index) =>
      `2024-05-17T10:21:${index + 10}.482Z [INFO] com.example.Server - Request ${index * 977} took ${index}ms`,
  ).join('\n'),
  json: JSON.stringify(
    Array.from({ length: 40 }, (_, id) => ({ id, name: `user-${id}`, active: true, score: id / 7 })),
  ),
  table: Array.from({ length: 60 }, (_, index) => `${index},"Doe, Jane",${index * 3.14159},2020-01-${index},NULL`).join(
    '\n',
  ),
  code: 'export function add(left: number, right: number): number {\n  return left + right // no overflow\n}\n'.repeat(
    12,
  ),
  trace: '\tat org.junit.runners.ParentRunner$3.run(ParentRunner.java:290) ~[junit-4.12.jar:4.12]\n'.repeat(20),
  hex: Array.from({ length: 400 }, (_, index) => ((index * 2654435761) >>> 0).toString(16)).join(''),
  base64: Array.from({ length: 300 }, (_, index) =>
    btoa(String.fromCharCode((index * 97) % 256, (index * 31) % 256, index % 251)),
  ).join(''),
  digits: Array.from({ length: 300 }, (_, index) => (index * 48_271) % 65_521).join(''),
  chinese: '系统在处理请求时发生错误，请检查日志文件并重试。'.repeat(20),
  russian: 'Произошла ошибка, проверьте журнал и повторите попытку. '.repeat(20),
  emoji: '😀👍🏽👨‍👩‍👧‍👦🇫🇷🔥✨❌✓✗⚠️🚀📦🎉'.repeat(20),
  colours: '\u001b[0m[\u001b[31merror\u001b[0m] not found: value server\u001b[0m\r\n'.repeat(20),
}

describe('estimateTokens', () => {
  it.each(Object.keys(samples))('is at least the number of o200k_base tokens of %s, and not much higher', (name) => {
    const text = samples[name]!
    const tokens = countTokens(text)
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens)
    expect(estimateTokens(text)).toBeLessThan(tokens * (name === 'russian' ? 1.8 : 1.5))
  })

  it.each(Object.entries(NATURAL_TEXTS))('is between 0.8 and 1.3 times the number of tokens of %s', (_, text) => {
    const tokens = countTokens(text)
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens * 0.8)
    expect(estimateTokens(text)).toBeLessThanOrEqual(tokens * 1.3)
  })

  it.each(Object.entries(BLOCKS))(
    'is at least 0.8 times the number of tokens of random characters: %s',
    (_, [min, max]) => {
      const characters = fc.integer({ min, max }).map((code) => String.fromCodePoint(code))
      const words = fc.array(fc.string({ unit: characters, minLength: 1, maxLength: 9 }), {
        minLength: 400,
        maxLength: 400,
      })
      fc.assert(
        fc.property(words, fc.constantFrom('', ' '), (parts, separator) => {
          const text = parts.join(separator)
          expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text, NO_SPECIAL_TOKENS) * 0.8)
        }),
        propertyRuns(2, 40),
      )
    },
  )

  it.each([
    '\n',
    '\r',
    '\t',
    '\r\n',
    ' \t',
    '\n ',
    'e\u0301',
    '\u0301',
    '👍🏽',
    '\ud800',
    '→',
    '<|endoftext|>',
    '<|endoftext|>\n',
    ...'!"#$%&()*-/:<=>?@[\\]^_`{|}~nD7'.split(''),
  ])('is at least 0.8 times the number of tokens of a text that repeats %j', (piece) => {
    const text = piece.repeat(500)
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text, NO_SPECIAL_TOKENS) * 0.8)
  })

  it('is at least 0.8 times the number of tokens of a text that repeats any character', () => {
    const characters = fc.oneof(fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }), fc.constant('\u2400'))
    fc.assert(
      fc.property(characters, (character) => {
        const text = character.repeat(64)
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text, NO_SPECIAL_TOKENS) * 0.8)
      }),
      propertyRuns(200, 5_000),
    )
  })

  it('is the same for a text with lone surrogates and for the text in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\ud800', '\udfff', 'a', '\n', '😀') }), (text) => {
        expect(estimateTokens(text)).toBe(estimateTokens(text.toWellFormed()))
      }),
    )
  })

  it('is 0 for an empty text and positive for any other', () => {
    expect(estimateTokens('')).toBe(0)
    fc.assert(fc.property(fc.string({ minLength: 1, unit: codePoint }), (text) => estimateTokens(text) > 0))
  })

  it('never decreases much if text is added', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (text, more) => estimateTokens(text + more) >= estimateTokens(text) * 0.5 - 3,
      ),
    )
  })
})

describe('estimateLargeTokens', () => {
  it('equals estimateTokens for a text of up to 128 K characters', () => {
    const text = 'some words on a line, 12 of them\n'.repeat(3_000)
    expect(estimateLargeTokens(text)).toBe(estimateTokens(text))
  })

  it('is close to estimateTokens for a long text whose content changes', () => {
    const parts = ['plain words and more of them\n', '0f9a8b7c6d5e4f3a2b1c\n', '{"id":12345,"name":"someone"}\n']
    const text = parts.map((part) => part.repeat(40_000)).join('')
    const exact = estimateTokens(text)
    expect(Math.abs(estimateLargeTokens(text) - exact)).toBeLessThan(exact * 0.1)
  })
})

test('a valid token count is returned unchanged', () => {
  expect(checkedCountTokens((text) => text.length / 4)('abcde')).toBe(1.25)
  expect(checkedCountTokens(() => 0)('')).toBe(0)
})

test.each([
  [Number.NaN, 'NaN'],
  [-1, '-1'],
  [Infinity, 'Infinity'],
  ['5', 'string'],
  [undefined, 'undefined'],
  [Promise.resolve(5), 'a promise'],
])('a token count cannot be %s', (value, shown) => {
  const count = checkedCountTokens((() => value) as never as CountTokens)
  expect(() => count('text')).toThrow(
    new TypeError(`countTokens must return a number of tokens, 0 or more, got ${shown}.`),
  )
})

describe('longerThan', () => {
  it('gives the same result as counting the whole text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000 }), fc.nat(1_500), (text, limit) => {
        expect(longerThan(text, limit, countTokens)).toBe(countTokens(text) > limit)
      }),
    )
  })

  it('does not consider a text of exactly the limit as longer', () => {
    const text = 'word '.repeat(1_000)
    expect(longerThan(text, countTokens(text), countTokens)).toBe(false)
    expect(longerThan(text, countTokens(text) - 1, countTokens)).toBe(true)
  })

  it('reads only as much of a huge text as necessary', () => {
    let seen = 0
    const counting = (text: string): number => {
      seen += text.length
      return countTokens(text)
    }
    expect(longerThan('some words on a line\n'.repeat(1_000_000), 1_000, counting)).toBe(true)
    expect(seen).toBeLessThan(50_000)
  })

  it('counts nothing if the limit is infinite', () => {
    expect(longerThan('a', Infinity, () => expect.unreachable())).toBe(false)
  })
})

const quarter = (text: string): number => Math.ceil(text.length / 4)

const sample = (pieces: readonly string[]): number => {
  const sampler = new TokenSampler(quarter)
  for (const piece of pieces) sampler.push(piece)
  return sampler.tokens()
}

test('a streamed count is the same for any chunks', () => {
  const text = Array.from({ length: 30_000 }, (_, line) => `line ${line}`).join('\n')
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      const pieces = edges.slice(1).map((edge, index) => text.slice(edges[index], edge))
      expect(sample(pieces)).toBe(sample([text]))
    }),
    { numRuns: 50 },
  )
})

test('a streamed count is exact for a short text, and an estimate from samples for a long text', () => {
  expect(sample(['abcdefgh'])).toBe(2)
  expect(sample(['x'.repeat(1_000_000)])).toBe(250_000)
  expect(sample([])).toBe(0)
})

test('estimates of the same parts in any order do not change', () => {
  const parts = [
    'a',
    'zq',
    'Word',
    'UPPER',
    'camelCase',
    '7',
    '2026',
    ' ',
    '  ',
    '\n',
    '\n    ',
    '\r\n',
    '\t',
    '.',
    '": ',
  ]
  parts.push('||', '\\', '</', 'é', '漢字', '😀', '␀', '0123456789'.repeat(3), 'letters'.repeat(4), ' '.repeat(25))
  const random = seededRandom(1)
  const draw = (): string => parts[Math.floor(random() * parts.length)]!
  let sum = 0
  for (let drawn = 0; drawn < 3_000; drawn++) sum += estimateTokens(Array.from({ length: drawn % 20 }, draw).join(''))
  expect(sum).toBe(59_256)
})
