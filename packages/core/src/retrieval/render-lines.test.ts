import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LineView } from '../search/view-hits.ts'
import { renderLines } from './render-lines.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const view = (number: number, text: string, match?: { start: number; end: number }): LineView => ({
  number,
  line: { start: 0, end: bytesOf(text).length },
  text,
  bytes: bytesOf(text),
  start: 0,
  isWhole: true,
  match,
  hit: match && { start: bytesOf(text.slice(0, match.start)).length, end: bytesOf(text.slice(0, match.end)).length },
})

const linesOf = (...rendered: Parameters<typeof renderLines>): readonly string[] => renderLines(...rendered).lines

describe('renderLines', () => {
  it('returns the line, the column, and the text of each match separately', () => {
    const long = `${'a'.repeat(50)}MATCH`
    const far = { ...view(3, 'MATCH', { start: 0, end: 5 }), line: { start: 0, end: 900 }, start: 895, isWhole: false }
    expect(renderLines([view(1, 'none'), view(2, long, { start: 50, end: 55 }), far], 15).matchingLines).toEqual([
      { line: 2, column: 51, text: '…aaaaaaaaaaMATCH' },
      { line: 3, text: '…MATCH' },
    ])
  })

  it('aligns line numbers to the widest number shown', () => {
    expect(linesOf([view(9, 'nine'), view(10, 'ten', { start: 0, end: 3 })], 100)).toEqual(['   9| nine', '> 10| ten'])
    expect(linesOf([], 100)).toEqual([])
  })

  it('cuts a line around its match and gives the byte offsets', () => {
    const line = `${'a'.repeat(50)}MATCH${'b'.repeat(50)}`
    expect(linesOf([view(1, line, { start: 50, end: 55 })], 15)).toEqual([
      '> 1| …aaaaaMATCHbbbbb…  [bytes 46-60 of 1-105]',
    ])
    expect(linesOf([view(1, `MATCH${line}`, { start: 0, end: 5 })], 15)).toEqual([
      '> 1| MATCHaaaaaaaaaa…  [bytes 1-15 of 1-110]',
    ])
    expect(linesOf([view(1, `${line}MATCH`, { start: 105, end: 110 })], 15)).toEqual([
      '> 1| …bbbbbbbbbbMATCH  [bytes 96-110 of 1-110]',
    ])
  })

  it('shows the start of a match that is longer than the available width', () => {
    expect(linesOf([view(1, `${'a'.repeat(50)}${'M'.repeat(50)}b`, { start: 50, end: 100 })], 16)).toEqual([
      `> 1| …aa${'M'.repeat(14)}…  [bytes 49-64 of 1-101]`,
    ])
  })

  it('shows a hit only once if the previous hit already shows it', () => {
    const line = `${'a'.repeat(50)}ONE TWO${'b'.repeat(90)}END`
    const at = (start: number, end: number): LineView => view(1, line, { start, end })
    expect(linesOf([at(50, 53), at(54, 57), at(147, 150)], 20)).toEqual([
      '> 1| …aaaaaaaaONE TWObbbbb…  [bytes 43-62 of 1-150]',
      '> 1| …bbbbbbbbbbbbbbbbbEND  [bytes 131-150 of 1-150]',
    ])
    expect(linesOf([{ ...at(50, 53), place: '$.a\n[0]' }], 200)).toEqual([`> 1| ${line}  [$.a␤[0]]`])
  })

  it('continues to the next hit if the hit is near', () => {
    const line = `${'a'.repeat(50)}ONE${'b'.repeat(17)}TWO${'c'.repeat(90)}`
    const at = (start: number): LineView => view(1, line, { start, end: start + 3 })
    expect(linesOf([at(50), at(70)], 20)).toEqual([
      `> 1| …aaaaaaaaONE${'b'.repeat(17)}TWO${'c'.repeat(9)}…  [bytes 43-82 of 1-163]`,
    ])
  })

  it('does not cut within an escape sequence', () => {
    const line = `${'\u001b[31m'.repeat(9)}MATCH${'\u001b[38;5;1mb'.repeat(9)}`
    for (let maxLength = 5; maxLength < 30; maxLength++) {
      expect(linesOf([view(1, line, { start: 45, end: 50 })], maxLength)[0]).toMatch(/^> 1\| …?MATCHb*…/)
    }
  })

  it('does not cut within a grapheme, and gives the byte offsets', () => {
    const family = '👨‍👩‍👧‍👦'
    expect(linesOf([view(1, family.repeat(3))], family.length + 3)).toEqual([`  1| ${family}…  [bytes 1-25 of 1-75]`])
    const text = `${family.repeat(3)}x${family.repeat(3)}`
    const at = family.length * 3
    expect(linesOf([view(1, text, { start: at, end: at + 1 })], family.length + 4)).toEqual([
      `> 1| …x…  [bytes 76-76 of 1-151]`,
    ])
  })

  it('writes one line for each hit of any text, with its match visible', () => {
    const line = fc.record({
      text: fc.string({
        unit: fc.constantFrom('a', '漢', '😀', '\u0301', '\r', '\u2028', '\u0085', ' '),
        minLength: 1,
        maxLength: 80,
      }),
      at: fc.nat(79),
      hit: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.integer({ min: 8, max: 60 }), (lines, maxLength) => {
        const views = lines.map(({ text, at, hit }, index) =>
          view(index + 1, text, hit ? { start: at % text.length, end: (at % text.length) + 1 } : undefined),
        )
        const rendered = linesOf(views, maxLength)
        expect(rendered).toHaveLength(lines.length)
        for (const [index, row] of rendered.entries()) {
          expect(row).toMatch(/^[> ] \d\| /)
          expect(row).not.toMatch(/[\r\n\v\f\u0085\u2028\u2029]/)
          const shown = /\[bytes (\d+)-(\d+) of 1-\d+\]$/.exec(row)
          const { match } = views[index]!
          if (shown === null || match === undefined) continue
          expect(Number(shown[2]) - Number(shown[1])).toBeLessThan(4 * maxLength)
        }
      }),
    )
  })
})
