import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compactJson, formatJson } from './write-results.ts'

describe('a formatted value', () => {
  test('equals JSON.stringify with two spaces, or is one line if it is short', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { text, isCut } = formatJson(JSON.stringify(value), Infinity)
        expect(isCut).toBe(false)
        // U+2028 and the like are escaped, which JSON.stringify does not do.
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        const isPlain = !/[\u007F\u0085\u2028\u2029]/.test(text)
        if (text.includes('\n') && isPlain) expect(text).toBe(JSON.stringify(value, null, 2))
        if (!text.includes('\n')) expect(text.length).toBeLessThanOrEqual(120)
      }),
    )
  })

  test('keeps numbers and strings unchanged, and puts empty ones on one line', () => {
    const json = '{ "a" : 1.50e+3,"b":[ ] ,"c":{},"d":"\\u0041 \\" , { "}'
    expect(formatJson(json, Infinity).text).toBe('{"a": 1.50e+3, "b": [], "c": {}, "d": "\\u0041 \\" , { "}')
    const long = `[${json},[[]],{"x":{}},"${'y'.repeat(100)}"]`
    expect(formatJson(long, Infinity).text).toContain('\n  [\n    []\n  ],\n  {\n    "x": {}\n  },\n')
  })

  test('is cut if it is longer than one line may be', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 50 }), (value, maxUnits) => {
        const json = JSON.stringify(value)
        const { text, isCut } = formatJson(json, maxUnits)
        expect(text.length).toBeLessThanOrEqual(maxUnits)
        if (!isCut) return
        expect(text).not.toContain('\n')
        expect(
          compactJson(json, Infinity)
            .text.toWellFormed()
            .startsWith(text.replace(/\uFFFD$/, '')),
        ).toBe(true)
      }),
    )
  })

  test('grows with its value, not with its depth', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    expect(formatJson(deep, Infinity).text.length).toBeLessThan(100 * deep.length)
  })

  test('has no line ends from its strings', () => {
    expect(formatJson('"a\nb\u2028\u0085c"', Infinity).text).toBe(String.raw`"a\u000ab\u2028\u0085c"`)
  })
})
