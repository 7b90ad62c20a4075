import type { TableData } from './table-data.ts'

/** Rows of each end that come before any between them. */
const END_ROWS = 5

const UNITS: readonly string[] = ['', 'K', 'M', 'G', 'T', 'P']

/**
 * The places of the kept rows, those first that tell most: the first and the last rows in turn, then those between, spread
 * evenly. Of sizes the largest come first, and of records that say the same, one comes before the others.
 */
export function* rowOrder(data: TableData): Generator<number> {
  const { sample, labels, rows, largest = false } = data
  const last = sample.length - 1
  const ends = Math.min(END_ROWS, Math.floor(last / 2) + 1)
  for (let place = 0; place < ends; place++) {
    yield place
    if (last - place > place) yield last - place
  }
  const between = Math.max(0, last - ends + 1 - ends)
  if (largest && sample.length === rows) yield* bySize(data, ends, between)
  else if (labels === undefined) for (const place of spreadOrder(between)) yield ends + place
  else yield* byNovelty(data, ends, between)
}

/**
 * The indices from 0 to `count` in an order whose every beginning is spread evenly: the van der Corput sequence, from the
 * middle on.
 */
export function* spreadOrder(count: number): Generator<number> {
  let bits = 0
  while (2 ** bits <= count) bits++
  const size = 2 ** bits
  for (let turn = 1; turn < size; turn++) {
    let index = 0
    for (let bit = 0; bit < bits; bit++) if ((turn >>> bit) & 1) index |= 1 << (bits - 1 - bit)
    if (index <= count) yield index - 1
  }
}

function* bySize({ sample, split }: TableData, from: number, count: number): Generator<number> {
  const sizes = sample.slice(from, from + count).map((row) => sizeOf(split(row.text)[0] ?? ''))
  const places = sizes.map((_, place) => place)
  for (const place of places.toSorted((one, other) => sizes[other]! - sizes[one]! || one - other)) yield from + place
}

function* byNovelty({ sample, split }: TableData, from: number, count: number): Generator<number> {
  const told = new Set<string>()
  const repeated: number[] = []
  for (const place of spreadOrder(count)) {
    const says = split(sample[from + place]!.text)
      .slice(1)
      .join(' ')
    if (told.has(says)) repeated.push(from + place)
    else {
      told.add(says)
      yield from + place
    }
  }
  yield* repeated
}

function sizeOf(text: string): number {
  const [, number = '0', unit = ''] = /^([\d.]+)([KMGTP]?)$/.exec(text) ?? []
  return Number(number) * 1_024 ** UNITS.indexOf(unit)
}
