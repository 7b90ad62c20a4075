import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it, test } from 'vitest'
import {
  checkedCountTokens,
  estimateLargeTokens,
  estimateTokens,
  longerThan,
  TokenSampler,
  type CountTokens,
} from './estimate-tokens.ts'

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
  it.each(Object.keys(samples))('is never under the tokens of o200k_base, and not far over, for %s', (name) => {
    const text = samples[name]!
    const tokens = countTokens(text)
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens)
    expect(estimateTokens(text)).toBeLessThan(tokens * (name === 'russian' ? 1.8 : 1.5))
  })

  it('is 0 for an empty text and positive for any other', () => {
    expect(estimateTokens('')).toBe(0)
    fc.assert(fc.property(fc.string({ minLength: 1, unit: 'binary' }), (text) => estimateTokens(text) > 0))
  })

  it('never shrinks much when a text is added to', () => {
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

test('passes on what is a number of tokens', () => {
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
])('refuses %s', (value, shown) => {
  const count = checkedCountTokens((() => value) as never as CountTokens)
  expect(() => count('text')).toThrow(
    new TypeError(`countTokens must return a number of tokens, 0 or more, got ${shown}.`),
  )
})

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

const quarter = (text: string): number => Math.ceil(text.length / 4)

const sample = (pieces: readonly string[]): number => {
  const sampler = new TokenSampler(quarter)
  for (const piece of pieces) sampler.push(piece)
  return sampler.tokens()
}

test('gives the same number however the text was split', () => {
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

test('counts a short text whole and a long one by its sample', () => {
  expect(sample(['abcdefgh'])).toBe(2)
  expect(sample(['x'.repeat(1_000_000)])).toBe(250_000)
  expect(sample([])).toBe(0)
})
