import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeEscapes } from './decode-json-string.ts'

describe('a JSON string', () => {
  test('is decoded to the text that JSON.stringify encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (value) => {
        expect(decodeEscapes(JSON.stringify(value).slice(1, -1))).toBe(value)
      }),
    )
  })

  test('contains the character after the backslash of an unknown escape', () => {
    expect(decodeEscapes("it\\'s \\x41 \\uZZZZ")).toBe("it's x41 uZZZZ")
  })
})
