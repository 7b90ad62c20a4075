import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonName } from './decode-json-string.ts'
import { JsonWalker, MAX_LEVELS } from './json-walker.ts'

const encoder = new TextEncoder()

function isJson(text: string, chunkBytes: number, enters = true): boolean {
  const bytes = encoder.encode(text)
  const visitor = { begin: () => enters, end: () => undefined }
  const walker = new JsonWalker({ form: 'json', visitor })
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    walker.take(bytes.subarray(at, at + chunkBytes))
    walker.advance()
  }
  walker.finish()
  return walker.isComplete
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

describe('a JSON walk', () => {
  test('accepts the same texts as JSON.parse with any chunks, ignoring the content of strings', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '""',
      '1',
      '-0.5e3',
      '01',
      '-',
      'true',
      'nul',
      ' ',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 9 }), fc.integer({ min: 1, max: 20 }), (tokens, chunkBytes) => {
        const text = tokens.join('')
        expect(isJson(text, chunkBytes)).toBe(parses(text))
      }),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 20 }), (text, chunkBytes) => {
        expect([isJson(text, chunkBytes), isJson(text, chunkBytes, false)]).toEqual([true, true])
      }),
    )
  })

  test('validates numbers and literals', () => {
    for (const text of ['0', '-0', '10', '1.5', '1e5', '1E+5', '1.25e-10', 'true', 'false', 'null', ' null\r\n\t'])
      expect([text, isJson(text, 1), isJson(text, 99)]).toEqual([text, true, true])
    for (const text of [
      '00',
      '+1',
      '.5',
      '1.',
      '1e',
      '1e+',
      '--1',
      'NaN',
      'Infinity',
      'truE',
      'nulll',
      'tru',
      "'a'",
      '\u00A01',
    ])
      expect([text, isJson(text, 1), isJson(text, 99)]).toEqual([text, false, false])
  })

  test('skips values without entering them, even with brackets in their strings', () => {
    const text = String.raw`[{"a":"]}\\\"[{","b":[[["\\"]]]},1]`
    const ends: number[] = []
    const visitor = { begin: (at: number) => at === 0, end: (at: number) => void ends.push(at) }
    const walker = new JsonWalker({ form: 'json', visitor })
    for (const byte of encoder.encode(text)) {
      walker.take(new Uint8Array([byte]))
      walker.advance()
    }
    expect(ends).toEqual([text.length - 3, text.length - 1, text.length])
  })

  test('rejects more than MAX_LEVELS levels', () => {
    expect(isJson('['.repeat(MAX_LEVELS) + ']'.repeat(MAX_LEVELS), 65_536)).toBe(true)
    expect(isJson('['.repeat(MAX_LEVELS + 1) + ']'.repeat(MAX_LEVELS + 1), 65_536)).toBe(false)
    expect(isJson('['.repeat(MAX_LEVELS + 1) + ']'.repeat(MAX_LEVELS + 1), 65_536, false)).toBe(true)
  })
})

describe('a member name', () => {
  test('is found even if it has escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (name, other) => {
        const escaped = Array.from({ length: name.length }, (_, index) => {
          return `\\u${name.charCodeAt(index).toString(16).padStart(4, '0')}`
        }).join('')
        for (const key of [JSON.stringify(name), `"${escaped}"`])
          expect(new JsonName(name).stands(encoder.encode(`${key}:1`), 0)).toBe(true)
        const is = new JsonName(name).stands(encoder.encode(JSON.stringify(other)), 0)
        expect(is).toBe(name === other)
      }),
    )
  })

  test('is found even if it has invalid UTF-8, by its displayed form', () => {
    expect(new JsonName('a\uFFFD').stands(new Uint8Array([34, 97, 0xff, 34]), 0)).toBe(true)
  })
})
