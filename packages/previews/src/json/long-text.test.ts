import { decodeEscapes } from '@spillway/text/internal/json'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutEscape } from './show-value.ts'

describe('a long string in parts', () => {
  it('has the same text wherever its parts are split', () => {
    const parts = fc.array(fc.constantFrom('a', '\\', 'n', 'u', '0', '00e9', '"', '\\u00e9', '\\\\', '\\n'))
    fc.assert(
      fc.property(parts, fc.nat(30), (raws, at) => {
        const raw = raws.join('')
        const first = cutEscape(raw.slice(0, at))
        const wholes = [first, cutEscape(raw.slice(first.length))]
        expect(wholes.map(decodeEscapes).join('')).toEqual(decodeEscapes(cutEscape(raw)))
      }),
    )
  })
})
