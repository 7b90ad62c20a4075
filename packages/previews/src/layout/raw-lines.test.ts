import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RawLines, type RawLine } from './raw-lines.ts'

function linesOf(pieces: readonly string[]): RawLine[] {
  const lines: RawLine[] = []
  const reader = new RawLines((line) => lines.push({ ...line }))
  for (const piece of pieces) reader.push(piece)
  reader.finish()
  return lines
}

describe('RawLines', () => {
  it('gives the lines of a text without line ends and byte order mark, numbered as stored', () => {
    expect(linesOf(['\ufeffone\r\n\ntwo', ' and\nthree']).map(({ number, text }) => [number, text])).toEqual([
      [1, 'one'],
      [2, ''],
      [3, 'two and'],
      [4, 'three'],
    ])
  })

  it('keeps both ends of a very long line, and the length between them', () => {
    const [line] = linesOf(['x'.repeat(60_000), 'y'.repeat(60_000), '\n'])
    expect(line!.text.length + line!.hidden + line!.tail.length).toBe(120_000)
    expect([line!.text[0], line!.tail.at(-1)]).toEqual(['x', 'y'])
    expect(line!.text.length + line!.tail.length).toBeLessThan(60_000)
  })

  it('gives the same lines with any chunks', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '😀', '\n', '\r\n', ' ', 'word'), { maxLength: 80 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (parts, cuts) => {
        const whole = parts.join('')
        const at = [
          0,
          ...cuts.map((cut) => cut % (whole.length + 1)).toSorted((one, other) => one - other),
          whole.length,
        ]
        expect(linesOf(at.slice(1).map((end, index) => whole.slice(at[index], end)))).toEqual(linesOf([whole]))
      }),
    )
  })
})
