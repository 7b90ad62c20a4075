import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { contentCache, DEFAULT_CONTENT_CACHE_BYTES, setContentCacheBytes } from '../storage/content-cache.ts'
import { byteTraits, decodedText, unitsToBytes } from './search-blocks.ts'

describe('decoded text', () => {
  afterEach(() => setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES))

  const contentOf = (text: string): Uint8Array => new Uint8Array(new TextEncoder().encode(text))

  it('is kept from the second search of a content on', () => {
    const content = contentOf('one\r\ntwo')
    expect(decodedText(content)).toBeUndefined()
    expect(decodedText(content)).toMatchObject({ text: 'one\r\ntwo', isAscii: true, hasReturns: true })
    expect(decodedText(content.subarray(0))).toBe(decodedText(content))
  })

  it('has one unit for each byte', () => {
    const content = contentOf('é')
    decodedText(content)
    expect(decodedText(content)).toMatchObject({ isAscii: false, hasReturns: false })
    expect(decodedText(content)?.text).toHaveLength(2)
  })

  it('counts towards the content cache, and is evicted with it', () => {
    const content = contentOf('x'.repeat(10_000))
    decodedText(content)
    const before = contentCache.bytes
    decodedText(content)
    expect(contentCache.bytes).toBe(before + 10_000)
    setContentCacheBytes(0)
    expect(contentCache.bytes).toBe(0)
    expect(decodedText(content)).toBeUndefined()
  })

  it('is not kept for a part of a content', () => {
    const content = contentOf('one two')
    for (let turn = 0; turn < 3; turn++) expect(decodedText(content.subarray(0, 3))).toBeUndefined()
  })
})

it.each([
  ['status=5\\d\\d', true, false],
  ['OOMKilled|code=E7731|panic: runtime', true, false],
  ['^FATAL.*code=E7731$', true, true],
  ['"name":"[^"]*"', true, true],
  ['[a-z]+\\.ts', true, false],
  ['a.b', false, true],
  ['a.+?b', false, true],
  ['(?:.+){2}', false, true],
  ['.+x.+', false, true],
  ['[^"]{3}', false, true],
  ['\\s+', false, true],
  ['é', false, true],
  ['[é]', false, true],
  ['[^\\s]*', false, true],
  ['(?=a)', false, true],
  ['\\x41', false, true],
])('a pattern %s: can match bytes alone %s, depends on line ends %s', (expression, isSingleByte, seesLineEnds) => {
  expect(byteTraits(expression)).toEqual({ isSingleByte, seesLineEnds })
})

it('bytes are matched directly only if that gives the matches of the text', () => {
  const runs = propertyRuns(1_670, 50_000)
  const atoms = ['a', 'b', '.', '[^a]', '[ab]', '\\W', '\\w', '\\d', '\\b', '^', '$', '(?:a|b)', '(a.*)', '1']
  const quantifiers = ['', '', '*', '+', '?', '{2}', '*?', '+?']
  const expressions = fc
    .array(fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...quantifiers)), { minLength: 1, maxLength: 5 })
    .map((parts) =>
      parts.map(([atom, quantifier]) => (/^(?:\^|\$|\\b)$/.test(atom) ? atom : atom + quantifier)).join(''),
    )
  const texts = fc
    .array(fc.constantFrom('a', 'b', '1', 'é', '東', '🚚', ' ', '\u00a0'), { maxLength: 8 })
    .map((all) => all.join(''))
  let checked = 0
  fc.assert(
    fc.property(expressions, texts, fc.boolean(), (expression, text, ignoreCase) => {
      if (!byteTraits(expression).isSingleByte) return
      checked++
      const regex = new RegExp(expression, ignoreCase ? 'is' : 's')
      const bytes = new TextEncoder().encode(text)
      const found = regex.exec(text)
      const inBytes = regex.exec(String.fromCharCode(...bytes))
      expect(inBytes?.index, `${expression} in ${text}`).toBe(
        found === null ? undefined : new TextEncoder().encode(text.slice(0, found.index)).length,
      )
    }),
    runs,
  )
  expect(checked).toBeGreaterThan(runs.numRuns / 15)
})

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

it('the bytes of valid and invalid units are counted as a decoder reads them', () => {
  const parts = fc.constantFrom(
    [0x61],
    [0xc3, 0xa9],
    [0xe6, 0x9d, 0xb1],
    [0xf0, 0x9f, 0x9a, 0x9a],
    [0xff],
    [0xf0, 0x9f],
    [0x80],
    [0xed, 0xa0],
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), fc.nat(30), (pieces, units) => {
      const bytes = Uint8Array.from(pieces.flat())
      const text = decode(bytes)
      const isWithin = /[\uD800-\uDBFF]$/.test(text.slice(0, units)) && units < text.length
      const whole = Math.min(text.length, isWithin ? units + 1 : units)
      const end = unitsToBytes(bytes, 0, bytes.length, units)
      expect(decode(bytes.subarray(0, end))).toBe(text.slice(0, whole))
      expect(decode(bytes.subarray(end))).toBe(text.slice(whole))
    }),
    propertyRuns(670, 20_000),
  )
})
