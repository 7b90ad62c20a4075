import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MOST_COLUMNS, RecordReader } from './record-reader.ts'

interface Read {
  readonly cells: readonly string[]
  readonly line: number
}

function recordsOf(
  pieces: readonly string[],
  separator = ',',
  quotes = true,
): { records: Read[]; reader: RecordReader } {
  const records: Read[] = []
  const reader = new RecordReader(
    {
      record: ({ text }, _start, _end, cells, bounds, line) =>
        void records.push({
          cells: Array.from({ length: Math.min(cells, MOST_COLUMNS) }, (_, cell) =>
            text.slice(bounds[2 * cell], bounds[2 * cell + 1]),
          ),
          line,
        }),
    },
    separator,
    quotes,
  )
  for (const piece of pieces) reader.push(piece)
  reader.finish()
  return { records, reader }
}

const cellsOf = (text: string): readonly (readonly string[])[] => recordsOf([text]).records.map(({ cells }) => cells)

it('a record reader splits at separators and line ends, but not inside quotes', () => {
  expect(cellsOf('a,b\r\n"x,""y""\nz",\n1,2')).toEqual([
    ['a', 'b'],
    ['"x,""y""\nz"', ''],
    ['1', '2'],
  ])
})

it('a record reader skips a byte order mark and blank lines', () => {
  expect(cellsOf('\uFEFFa,b\n\n1,2\n\r\n')).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
})

it('a record reader counts the line number of each record', () => {
  expect(recordsOf(['a\n"b\nc"\n\nd']).records.map(({ line }) => line)).toEqual([1, 2, 5])
})

it('a record reader reports quotes that are never closed', () => {
  expect(recordsOf(['a,"b\nc']).reader.unclosed).toBe(true)
  expect(recordsOf(['a,"b"\nc']).reader.unclosed).toBe(false)
})

it('a record reader reads a quote that never closes as a character, if a later cell begins with a quote', () => {
  expect(cellsOf('1,"open\n2,"also open\n3,"a\nb,"\n4,"x, "y" z"')).toEqual([
    ['1', '"open'],
    ['2', '"also open'],
    ['3', '"a\nb,"'],
    ['4', '"x, "y" z"'],
  ])
  const { records } = recordsOf(['1\t"open\n2\t"also o', 'pen\n3\t"closed\nhere"\n4\tx'], '\t')
  expect(records.map(({ line }) => line)).toEqual([1, 2, 3, 5])
})

it('a record reader does not take an empty last cell for a quote of the previous block', () => {
  for (let shift = 0; shift < 8; shift++) {
    const { records, reader } = recordsOf([`${'x'.repeat(shift)}\n${'"q","q"\n'.repeat(5_000)}`, '1,2,'])
    expect(reader.unclosed).toBe(false)
    expect(records.at(-1)?.cells).toEqual(['1', '2', ''])
  }
})

it('a record reader stops at a record that is too long', () => {
  const isTable = (length: number): boolean => recordsOf([`a,b\n1,"${'x'.repeat(length)}`, '"\n1,2']).reader.isTable
  expect([isTable(1_000_000), isTable(1_100_000)]).toEqual([true, false])
})

const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'é', '数', ' ', '1') }),
  fc.string({ unit: fc.constantFrom('a', ',', '\n', '"') }).map((text) => `"${text.replaceAll('"', '""')}"`),
)

const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 6 }), { maxLength: 40 })

it('a record reader restores written records, even rows of different lengths and line ends in quotes', () => {
  fc.assert(
    fc.property(table, fc.constantFrom('\n', '\r\n'), (rows, end) => {
      const filled = rows.filter((row) => row.join(',') !== '')
      expect(cellsOf(filled.map((row) => row.join(',')).join(end))).toEqual(filled)
    }),
  )
})

it('a record reader returns the same records for any chunks', () => {
  const long = fc.nat(80_000).map((length) => 'x,'.repeat(length / 2))
  fc.assert(
    fc.property(table, long, fc.array(fc.nat(200_000), { maxLength: 12 }), (rows, row, cuts) => {
      const text = [...rows.map((cells) => cells.join(',')), row, 'end,"q"', '"open'].join('\n')
      const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((one, other) => one - other), text.length]
      const pieces = at.slice(1).map((to, index) => text.slice(at[index], to))
      // The records are compared as one value, because a diff of long records is unreadable.
      expect(JSON.stringify(recordsOf(pieces)) === JSON.stringify(recordsOf([text]))).toBe(true)
    }),
    { numRuns: 50 },
  )
})
