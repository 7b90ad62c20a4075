import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineReader, type OverlongLine } from './line-reader.ts'

/** Read chunks, and return the lines; of overlong ones their size. */
function read(chunks: readonly Buffer[], maxBytes = 1_000): readonly (string | number)[] {
  const lines: (string | number)[] = []
  const reader = new LineReader(maxBytes, {
    onLine: (line) => void lines.push(line),
    onOverlong: ({ bytes }) => void lines.push(bytes),
  })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return lines
}

/** The same by another way: all at once. */
function split(text: string, maxBytes: number): readonly (string | number)[] {
  const lines = text.split('\n')
  // What is behind the last end of a line is a line where there is something.
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => {
    const bytes = Buffer.byteLength(line)
    return bytes > maxBytes ? bytes : line.replace(/\r$/, '')
  })
}

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

describe('LineReader', () => {
  it('gives the lines of a text however it is cut, also inside characters, and tells of those that are too long', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '日', '👩', '\r', '\n', '\n', '"'), maxLength: 60 })
    fc.assert(
      fc.property(
        text,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 12 }),
        (value, places, maxBytes) => {
          expect(read(cut(Buffer.from(value), places), maxBytes)).toEqual(split(value, maxBytes))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('keeps the beginning and the end of a line that is too long, and no more, and goes on behind it', () => {
    const told: OverlongLine[] = []
    const lines: string[] = []
    const reader = new LineReader(1_000, { onLine: (line) => lines.push(line), onOverlong: (line) => told.push(line) })
    reader.push(Buffer.from('{"id":1,'))
    for (let index = 0; index < 100; index += 1) reader.push(Buffer.alloc(1_000, 'x'))
    reader.push(Buffer.from(',"end":1}\nnext\n'))
    expect(told).toHaveLength(1)
    expect(told[0]?.bytes).toBe(100_017)
    expect(told[0]?.head).toMatch(/^\{"id":1,x+$/)
    expect(told[0]?.tail).toMatch(/^x+,"end":1\}$/)
    expect([told[0]?.head.length, told[0]?.tail.length]).toEqual([512, 512])
    expect(lines).toEqual(['next'])
  })

  it('reads a line of 64 MB in 1,024 pieces in time that grows with the bytes alone', { timeout: 10_000 }, () => {
    const [line] = read(
      [...Array.from({ length: 1_024 }, () => Buffer.alloc(65_536, 'x')), Buffer.from('\n')],
      100_000_000,
    )
    expect(String(line).length).toBe(67_108_864)
  })
})
