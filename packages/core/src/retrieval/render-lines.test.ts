import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LineView } from '../search/view-hits.ts'
import { renderLines } from './render-lines.ts'

const view = (number: number, text: string, match?: { start: number; end: number }): LineView => ({
  number,
  length: text.length,
  text,
  offset: 0,
  match,
})

describe('renderLines', () => {
  it('aligns numbers to the widest shown', () => {
    expect(renderLines([view(9, 'nine'), view(10, 'ten', { start: 0, end: 3 })], 100)).toEqual([
      '   9| nine',
      '> 10| ten',
    ])
    expect(renderLines([], 100)).toEqual([])
  })

  it('cuts a line around its match and gives the columns shown', () => {
    const line = `${'a'.repeat(50)}MATCH${'b'.repeat(50)}`
    expect(renderLines([view(1, line, { start: 50, end: 55 })], 15)).toEqual([
      '> 1| …aaaaaMATCHbbbbb…  [columns 46-60 of 105]',
    ])
    expect(renderLines([view(1, `MATCH${line}`, { start: 0, end: 5 })], 15)).toEqual([
      '> 1| MATCHaaaaaaaaaa…  [columns 1-15 of 110]',
    ])
    expect(renderLines([view(1, `${line}MATCH`, { start: 105, end: 110 })], 15)).toEqual([
      '> 1| …bbbbbbbbbbMATCH  [columns 96-110 of 110]',
    ])
  })

  it('shows the beginning of a match that is longer than the room', () => {
    expect(renderLines([view(1, `${'a'.repeat(50)}${'M'.repeat(50)}b`, { start: 50, end: 100 })], 16)).toEqual([
      `> 1| …aa${'M'.repeat(14)}…  [columns 49-64 of 101]`,
    ])
  })

  it('shows a hit that is in sight of the one before it only once', () => {
    const line = `${'a'.repeat(50)}ONE TWO${'b'.repeat(90)}END`
    const at = (start: number, end: number): LineView => view(1, line, { start, end })
    expect(renderLines([at(50, 53), at(54, 57), at(147, 150)], 20)).toEqual([
      '> 1| …aaaaaaaaONE TWObbbbb…  [columns 43-62 of 150]',
      '> 1| …bbbbbbbbbbbbbbbbbEND  [columns 131-150 of 150]',
    ])
    expect(renderLines([{ ...at(50, 53), place: '$.a\n[0]' }], 200)).toEqual([`> 1| ${line}  [$.a␤[0]]`])
  })

  it('cuts no grapheme, and says how much is left out', () => {
    const family = '👨‍👩‍👧‍👦'
    expect(renderLines([view(1, family.repeat(3))], family.length + 3)).toEqual([
      `  1| ${family}… [22 more characters]`,
    ])
    const text = `${family.repeat(3)}x${family.repeat(3)}`
    const at = family.length * 3
    expect(renderLines([view(1, text, { start: at, end: at + 1 })], family.length + 4)).toEqual([
      `> 1| …x…  [columns 34-34 of 67]`,
    ])
  })

  it('writes one line for each, whatever it contains, with the match of each in sight', () => {
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
        const rendered = renderLines(views, maxLength)
        expect(rendered).toHaveLength(lines.length)
        for (const [index, row] of rendered.entries()) {
          expect(row).toMatch(/^[> ] \d\| /)
          expect(row).not.toMatch(/[\r\n\v\f\u0085\u2028\u2029]/)
          const columns = /\[columns (\d+)-(\d+) of \d+\]$/.exec(row)
          const { match } = views[index]!
          if (columns === null || match === undefined) continue
          expect(Number(columns[2]) - Number(columns[1])).toBeLessThan(maxLength)
        }
      }),
    )
  })
})
