import type { HiddenNames } from '../layout/preview-model.ts'
import { cutAtGrapheme, estimateTokens, cleanLine } from '@spillway/text/internal'
import { foldNames } from './fold-names.ts'
import { spreadOrder } from './row-order.ts'
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
/** Share of the budget for keys. */
const KEYS_SHARE = 0.55
/** Of so few rows, no key is shown. */
const FEW_ROWS = 8
/** UTF-16 units of a key that are shown at most. */
const LONGEST_KEY = 80
/** Numbers, times, ages and digests tell rows apart but say little. */
const SAYS_LITTLE =
  /^[-+]?[\d.,]+[%KMGTP]?$|^(?:about )?\d+ ?[a-z]{1,8}(?: ago)?$|^\d{1,4}[:/-]\d\d(?:[:/.-]\d|$)|^(?:0x)?[\da-f]{6,}(?:-(?:0x)?[\da-f]+)?$/i

/** The cells that stand for hidden rows of the tables of one text. */
export function rowKeys(tables: readonly TableData[]): HiddenNames {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const keys = tables.map((table) => ({
    share: table.rows / rows,
    last: table.sample.at(-1)?.line ?? 0,
    names: keysOf(table),
  }))
  return {
    choose: (tokens) => keys.flatMap(({ share, names }) => names?.choose(tokens * share) ?? []),
    write: (names) => keys.find(({ last }) => last >= names[0]!.line)?.names?.write(names) ?? [],
  }
}

/** The cells that stand for hidden rows, of the column that tells the rows of a table apart in few tokens. */
function keysOf(data: TableData): HiddenNames | undefined {
  const { sample, split, names, labels } = data
  const column = labels === undefined ? undefined : keyColumn(data)
  if (column === undefined) return undefined
  const keyOf = (row: string): string => {
    const cell = cleanLine(split(row)[column] ?? '').replace(/\s+/g, ' ')
    const cut = cutAtGrapheme(cell, LONGEST_KEY)
    return cut.length < cell.length ? `${cut}…` : cell
  }
  return {
    choose: (tokens) => {
      const room = tokens * KEYS_SHARE
      for (let count = Math.min(sample.length, Math.ceil(room)); count > 0; count = Math.floor(count * 0.9)) {
        const keys = spread(sample, count).map(({ line, text }) => ({ line, name: keyOf(text) }))
        const total = estimateTokens(foldNames(keys.map(({ name }) => name)))
        if (total <= room) return keys.map((key) => ({ ...key, tokens: total / count }))
      }
      return []
    },
    write: (keys) => [
      `[${names?.[column] ?? labels?.[column] ?? `column ${column + 1}`} of ${keys.length} of them:] ${foldNames(keys.map(({ name }) => name))}`,
    ],
  }
}

function keyColumn({ sample, columns, split }: TableData): number | undefined {
  const probed = [...spreadOrder(sample.length)].slice(0, MOST_PROBED).map((place) => split(sample[place]!.text))
  if (probed.length < FEW_ROWS) return undefined
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
  return candidates
    .filter(({ distinct }) => distinct >= most * ABOUT_AS_DISTINCT)
    .toSorted((one, other) => one.cost - other.cost)[0]?.column
}

/** So many of the rows, spread evenly, in order. */
function spread<Row>(rows: readonly Row[], count: number): Row[] {
  return Array.from({ length: count }, (_, index) => rows[Math.floor(((index + 0.5) * rows.length) / count)]!)
}
