import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeEscapes } from './long-text.ts'

describe('decodeEscapes', () => {
  it('decodes the escapes of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(decodeEscapes(JSON.stringify(value).slice(1, -1))).toEqual({ text: value, rest: '' })
      }),
    )
  })

  it('gives the same text for any cut if the rest is passed before the next part', () => {
    const parts = fc.array(fc.constantFrom('a', '\\', 'n', 'u', '0', '00e9', '"', '\\u00e9', '\\\\', '\\n'))
    fc.assert(
      fc.property(parts, fc.nat(30), (raws, at) => {
        const raw = raws.join('')
        const first = decodeEscapes(raw.slice(0, at))
        const second = decodeEscapes(first.rest + raw.slice(at))
        expect({ text: first.text + second.text, rest: second.rest }).toEqual(decodeEscapes(raw))
      }),
    )
  })

  it('decodes an unknown escape as the character after it', () => {
    expect(decodeEscapes("it\\'s \\x41 \\uZZZZ").text).toBe("it's x41 ZZZZ")
  })
})
