import { cutAtGrapheme, estimateTokens, cleanLine } from '@spillway/text/internal'
import type { Draft } from '../layout/fit-budget.ts'
import { countOf } from '../layout/gap-marks.ts'
import { foldNames } from '../listing/fold-names.ts'
import { spreadOrder } from './spread-order.ts'
import type { TableData } from './table-data.ts'

/** Rows that tell which column tells rows apart. */
const MOST_PROBED = 256
/** Share of the probed rows whose cell differs from the others. */
const DISTINCT_SHARE = 0.5
const FILLED_SHARE = 0.9
/** Of columns that tell rows apart about as well as the best, the shortest is taken. */
const ABOUT_AS_DISTINCT = 0.9
/** Of the tokens of a row, a key has at most this share: else rows themselves tell more. */
const KEY_SHARE = 0.45
/** UTF-16 units of a key that are shown at most. */
const LONGEST_KEY = 80
/** Numbers, times, ages and digests tell rows apart but say little. */
const SAYS_LITTLE =
  /^[-+]?[\d.,]+[%KMGTP]?$|^(?:about )?\d+ ?[a-z]{1,8}(?: ago)?$|^\d{1,4}[:/-]\d\d(?:[:/.-]\d|$)|^(?:0x)?[\da-f]{6,}(?:-(?:0x)?[\da-f]+)?$/i

/** Lists the telling cell of the rows that are not shown. */
export interface KeyIndex {
  /** Write the keys of rows that are not shown, of as many as about `budget` tokens hold; empty where they hold few. */
  write(budget: number, isShown: (place: number) => boolean): Draft
}

/** Find the column whose cells tell the rows of a table apart in few tokens. */
export function keyIndexOf(data: TableData): KeyIndex | undefined {
  const { sample, columns, split } = data
  const probed: (readonly string[])[] = []
  for (const place of spreadOrder(sample.length)) {
    if (probed.length >= MOST_PROBED) break
    probed.push(split(sample[place]!.text))
  }
  if (probed.length < 8) return undefined
  const rowCost = probed.reduce((sum, cells) => sum + estimateTokens(cells.join(' ')), 0) / probed.length
  const candidates: { readonly column: number; readonly cost: number; readonly distinct: number }[] = []
  for (let column = 0; column < columns; column++) {
    const cells = probed.map((row) => row[column] ?? '').filter((cell) => cell !== '')
    if (cells.length < probed.length * FILLED_SHARE) continue
    const distinct = new Set(cells).size
    if (distinct < probed.length * DISTINCT_SHARE) continue
    if (cells.filter((cell) => SAYS_LITTLE.test(cell)).length > cells.length * 0.2) continue
    const cost = cells.reduce((sum, cell) => sum + estimateTokens(cell), 0) / cells.length
    if (cost <= rowCost * KEY_SHARE) candidates.push({ column, cost, distinct })
  }
  const most = candidates.reduce((distinct, candidate) => Math.max(distinct, candidate.distinct), 0)
  const [best] = candidates
    .filter(({ distinct }) => distinct >= most * ABOUT_AS_DISTINCT)
    .toSorted((one, other) => one.cost - other.cost)
  if (best === undefined) return undefined
  const { column, cost } = best
  const name = data.names?.[column] ?? data.labels?.[column] ?? `column ${column + 1}`
  const keyOf = (place: number): string => {
    const cell = cleanLine(split(sample[place]!.text)[column] ?? '').replace(/\s+/g, ' ')
    const cut = cutAtGrapheme(cell, LONGEST_KEY)
    return cut.length < cell.length ? `${cut}…` : cell
  }
  return {
    write(budget, isShown) {
      const hidden = sample.map((_, place) => place).filter((place) => !isShown(place))
      const rest = data.rows - (sample.length - hidden.length)
      const head = (count: number): string =>
        count === rest
          ? `[${name} of the other ${countOf(rest, 'row')}:]`
          : `[${name} of ${count} of the other ${countOf(rest, 'row')}:]`
      const room = budget - estimateTokens(head(1_000))
      let count = Math.min(hidden.length, Math.floor(room / Math.max(1, cost * 0.6)))
      for (let attempt = 0; attempt < 12 && count >= 4; attempt++) {
        const text = foldNames(spread(hidden, count).map(keyOf))
        const tokens = estimateTokens(text)
        if (tokens <= room) return { text: `${head(count)} ${text}`, complete: count === rest }
        count = Math.floor(count * Math.min(0.97, (room / tokens) * 1.01))
      }
      return { text: '', complete: false }
    },
  }
}

/** So many of the items, spread evenly, in order. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (count >= items.length) return [...items]
  return Array.from({ length: count }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / count)]!)
}
