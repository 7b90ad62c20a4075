import { decodeEscapes } from '@spillway/text/internal/json'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { TextScanner } from '../log/text-scanner.ts'
import { LongText } from './long-text.ts'
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

  it('is never read in one step with more than a few of its parts', () => {
    const read = vi.spyOn(TextScanner.prototype, 'push')
    onTestFinished(() => read.mockRestore())
    const string = new LongText([], undefined)
    const sizes = Array.from({ length: 32 }, () => {
      read.mockClear()
      string.push('a line\\n'.repeat(8_192))
      return read.mock.calls.reduce((sum, [text]) => sum + text.length, 0)
    })
    expect(Math.max(...sizes)).toBeLessThan(4 * 65_536)
  })
})
