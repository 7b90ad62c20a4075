import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compactJson } from './write-results.ts'

describe('a formatted value', () => {
  test('is the same value on one line', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value, null, 2)
        const { text, isCut } = compactJson(json, Infinity)
        expect(isCut).toBe(false)
        expect(text).not.toContain('\n')
        expect(JSON.parse(text)).toEqual(JSON.parse(json))
      }),
    )
  })

  test('keeps numbers and strings unchanged', () => {
    const json = '{ "a" : 1.50e+3,"b":[ ] ,"c":{},"d":"\\u0041 \\" , { "}'
    expect(compactJson(json, Infinity).text).toBe('{"a": 1.50e+3, "b": [], "c": {}, "d": "\\u0041 \\" , { "}')
  })

  test('is cut if it is longer than one line may be', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 50 }), (value, maxUnits) => {
        const json = JSON.stringify(value)
        const { text, isCut } = compactJson(json, maxUnits)
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

  test('has no line ends from its strings', () => {
    expect(compactJson('"a\nb\u2028\u0085c"', Infinity).text).toBe(String.raw`"a\u000ab\u2028\u0085c"`)
  })
})
