import { cleanLine, countOf, cutAtGrapheme, cutWithMark, estimateTokens, formatCount } from '@spillway/text/internal'
import { unquote } from '@spillway/text/internal/tables'
import { textItem, type HiddenNames, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { findSought } from '../layout/wanted-words.ts'
import type { SampledRow } from './row-sample.ts'
import type { TableData } from './table-data.ts'
import type { ColumnSummary, CountedValue } from './column-summary.ts'

/** Largest share of the budget for column descriptions, and for names alone. Longer lists of names are cut. */
const COLUMN_SHARE = 0.25
const HEADER_SHARE = 0.85
/** Number of rows that should fit after cells are cut. */
const AIMED_ROWS = 8
/** Smallest number of rows to choose from, and smallest number of tokens of a row. */
const LEAST_ITEMS = 32
const LEAST_ROW = 7
/** Lengths of cut cells, in UTF-16 units, in the order in which they are tried. */
const CAPS: readonly number[] = [4_096, 400, 160, 80, 40]
/** Forms of column descriptions, the longest first: number of values to list, and largest length in UTF-16 units. */
const DESCRIPTIONS: readonly (readonly [listed: number, longest: number])[] = [
  [8, Infinity],
  [4, Infinity],
  [2, Infinity],
  [2, 24],
  [2, 12],
]
/** Value of a table's first line, compared with its rows. */
const HEADING_WORTH = 4

/**
 * If there is only one table, the description of its columns is above the items.
 *
 * @param words - Words that the call searches for. Rows with rare words are shown first.
 */
export function tableItems(tables: readonly TableData[], budget: number, words: readonly string[] = []): PreviewModel {
  const [table] = tables
  const shared = { names: rowKeys(tables), alwaysHeader: true, shares: [], lineShare: 1 / 3, endShare: 0 }
  if (table === undefined || tables.length > 1) {
    const rows = tables.reduce((sum, { rows: own }) => sum + own, 0)
    const lines = table?.lines ?? 0
    return {
      ...shared,
      items: tables.flatMap((one) => sectionItems(one, budget / tables.length, words)),
      lines,
      header: [countOf(tables.length, 'table'), [countOf(rows, 'row'), countOf(lines, 'line')].join(', ')].join(': '),
    }
  }
  const header = headerOf(table)
  const last = table.sample.at(-1)
  return {
    ...shared,
    items: rowItems(table, budget, words),
    from: table.sample[0]?.line,
    lines: last === undefined ? table.lines : endLine(last),
    header,
    head: [...table.title.split('\n'), columnsOf(table, budget - estimateTokens(header)), ...table.notes]
      .filter((line) => line !== '')
      .map((line) => cutAtGrapheme(line, budget * 2)),
  }
}

function headerOf({ kind, rows, columns, lines, names, labels, ragged, title, largest, sample }: TableData): string {
  // Lines of records have neither a header nor named columns.
  if (names === undefined && labels !== undefined && kind !== 'table') {
    const counts = [...(rows === lines ? [] : [countOf(rows, 'row')]), countOf(lines, 'line')]
    return `${kind}: ${counts.join(', ')}${largest === true && rows === sample.length ? ', the largest shown' : ''}`
  }
  const plain = rows + (names === undefined ? 0 : 1) + title.split('\n').length - 1
  const parts = [`${countOf(rows, 'row')} × ${countOf(columns, 'column')}`]
  if (lines !== plain || kind === 'table') parts.push(countOf(lines, 'line'))
  if (names === undefined) parts.push('no header')
  if (ragged > 0) parts.push(`${countOf(ragged, 'row')} with another number of cells`)
  return `${kind}: ${parts.join(', ')}`
}

/** Returns all column names if they fit, with descriptions as far as there is space. */
function columnsOf({ names, labels, summaries, columns, separator }: TableData, budgetTokens: number): string {
  for (const [listed, longest] of DESCRIPTIONS) {
    const described = summaries.map((summary, column) => {
      const whole = describeColumn(summary, listed)
      const about = whole.length > longest ? '' : whole
      if (names === undefined) return about === '' ? '' : `[${labels?.[column] ?? `column ${column + 1}`}: ${about}]`
      return about === '' ? (names[column] ?? '') : `${names[column] ?? ''} [${about}]`
    })
    const text = [...described, ...(names ?? []).slice(summaries.length)].filter((line) => line !== '').join('\n')
    const isWhole = summaries.length > 0 && (names === undefined || names.length === columns)
    if (isWhole && estimateTokens(text) <= budgetTokens * COLUMN_SHARE) return text
  }
  if (names === undefined) return ''
  const between = names.some((name) => name.includes(separator)) ? '\n' : separator
  let text = names.join(between)
  let left = columns - names.length
  const most = budgetTokens * HEADER_SHARE
  for (let shown = names.length; shown > 0 && estimateTokens(text) > most;) {
    shown = Math.floor(shown * Math.min(0.9, (most / estimateTokens(text)) * 0.95))
    text = names.slice(0, shown).join(between)
    left = columns - shown
  }
  return left > 0 ? `${text}${between}[… ${countOf(left, 'more column')}]` : text
}

function sectionItems(table: TableData, budgetTokens: number, words: readonly string[]): Item[] {
  const rows = rowItems(table, budgetTokens, words)
  const first = 1 + (table.headerLine ?? 0)
  const names = table.names === undefined ? '' : `${table.names.join(table.separator)} [${countOf(table.rows, 'row')}]`
  const above = [...(table.title === '' ? [] : table.title.split('\n')), names]
  const headings: Item[] = []
  for (const [index, text] of above.entries()) {
    const line = first - above.length + index
    const last = headings.at(-1)
    // A title includes the blank lines and rules below it.
    if (text !== '') headings.push(textItem(line, text, HEADING_WORTH, last))
    else if (last !== undefined) last.end = line
  }
  const parent = headings.at(-1)
  // The header includes the rule below it.
  if (parent !== undefined && table.names !== undefined)
    parent.end = Math.max(first - 1, (table.sample[0]?.line ?? 0) - 1)
  for (const row of rows) row.parent = parent
  return [...headings.filter(({ start }) => start > 0), ...rows]
}

/** Returns items for rows. Rows that are earlier in the order have a higher value. */
function rowItems(table: TableData, budgetTokens: number, words: readonly string[]): Item[] {
  const { sample, split, separator } = table
  const values = new Map<number, number>()
  const odd = oddRows(table, budgetTokens)
  for (const place of [...soughtRows(table, words), ...odd, ...rowOrder(table)]) {
    if (values.size >= LEAST_ITEMS + budgetTokens / LEAST_ROW) break
    if (!values.has(place)) values.set(place, 1 / (1 + values.size))
  }
  const places = [...values.keys()].toSorted((one, other) => one - other)
  const rows = places.map((place) => split(sample[place]!.text).map(cleanCell))
  const cap = cellCap(rows, separator, budgetTokens)
  return places.map((place, index) => {
    const row = sample[place]!
    const longest = odd.includes(place) ? cap * ODD_CAP : cap
    const text = rows[index]!.map((cell) => cutWithMark(cell, longest)).join(separator)
    const item = textItem(row.line, text.trimEnd(), values.get(place)!)
    const next = sample[place + 1]
    // Rules between rows belong to the row before.
    item.end = next?.index === row.index + 1 ? next.line - 1 : endLine(row)
    item.lone = true
    return item
  })
}

function soughtRows({ sample }: TableData, words: readonly string[]): number[] {
  const texts = sample.map(({ text }) => text)
  const counts = findSought(texts, words)?.counts
  const found = [...sample.keys()].filter((place) => counts !== undefined && counts[place]! > 0)
  return found.toSorted((one, other) => counts![other]! - counts![one]! || one - other)
}

/** Number of rows with rare values for each token of the budget. These rows are chosen before all other rows. */
const ODD_ROWS = 0.01
/** Factor for the length of cells in these rows. */
const ODD_CAP = 3
/** Share of the rows up to which a value is rare. */
const ODD_SHARE = 0.01
/** Smallest number of rows in which a single value is rare. */
const MANY_ROWS = 24

/**
 * Returns the first unusual rows: rows with another number of cells, such as a message of the program, and rows with rare
 * values. A value is rare if few rows have it, and its column has few different values.
 */
function oddRows(
  { sample, split, summaries, rows, names, ragged, raggedRows }: TableData,
  budgetTokens: number,
): number[] {
  const most = rows < MANY_ROWS ? 0 : Math.max(1, rows * ODD_SHARE)
  const named = names === undefined ? [] : summaries
  const isText = ({ values, range }: ColumnSummary): boolean => values === undefined && range === undefined
  // Each row is split once for all columns.
  const cells = named.some(isText) ? sample.map(({ text }) => split(text)) : []
  const rare = named.flatMap((summary, column) =>
    isText(summary)
      ? oddTexts(cells, column, most).map((place) => sample[place]!.index)
      : (summary.values ?? []).filter(({ count }) => count <= most).map(({ row }) => row),
  )
  if (ragged <= most) rare.push(...raggedRows)
  const counts = new Map<number, number>()
  for (const row of rare) counts.set(row, (counts.get(row) ?? 0) + 1)
  const rareValues = (place: number): number => counts.get(sample[place]!.index) ?? 0
  return [...sample.keys()]
    .filter((place) => rareValues(place) > 0)
    .toSorted((one, other) => rareValues(other) - rareValues(one) || one - other)
    .slice(0, budgetTokens * ODD_ROWS)
}

/** Returns the places of rows with texts of another form, if the texts of nearly all rows differ only in numbers. */
function oddTexts(cells: readonly (readonly string[])[], column: number, most: number): number[] {
  const forms = Map.groupBy(cells.keys(), (place) => cells[place]![column]?.replace(/\d+/g, '0'))
  const [, ...others] = [...forms.values()].toSorted((one, other) => other.length - one.length)
  return others.flat().length > most ? [] : others.map(([first]) => first!)
}

function cellCap(rows: readonly (readonly string[])[], separator: string, budgetTokens: number): number {
  const probe = [...spreadOrder(rows.length)].slice(0, 32).map((place) => rows[place]!)
  const costOf = (cap: number): number =>
    probe.reduce((sum, row) => sum + estimateTokens(row.map((cell) => cutWithMark(cell, cap)).join(separator)) + 3, 0)
  return (
    CAPS.find((cap) => costOf(cap) * Math.min(AIMED_ROWS, rows.length) <= budgetTokens * probe.length) ?? CAPS.at(-1)!
  )
}

/** Replaces runs of blanks, so that a cell of several lines becomes one line. */
function cleanCell(cell: string): string {
  const lines = cell.split('\n').map((line) => cleanLine(line.replace(/[^\S\r]+/g, ' ')))
  return [lines[0], ...lines.slice(1).map((line) => line.trimStart())].join('\n')
}

function endLine({ line, text }: SampledRow): number {
  return line + text.split('\n').length - 1
}

const LONGEST_SHOWN = 40

/**
 * Returns text such as `0.5…2.25`, `yes ×12, no ×3` or `3 empty`. Returns an empty text if nothing is known.
 *
 * @param most - Largest number of values to list.
 */
export function describeColumn(summary: ColumnSummary, most: number): string {
  const { filled, empty, range, values } = summary
  if (filled === 0) return empty === 0 ? '' : 'all empty'
  const parts: string[] = []
  if (values?.length === 1) parts.push(`${empty === 0 ? 'always' : 'only'} ${shown(values[0]!)}`)
  else if (values !== undefined && (values.length <= most || range === undefined) && filled > values.length)
    parts.push(listed(values, most))
  else if (range !== undefined && filled > 1) parts.push(`${range.least}…${range.greatest}`)
  if (empty > 0) parts.push(`${formatCount(empty)} empty`)
  return parts.join(', ')
}

function listed(values: readonly CountedValue[], most: number): string {
  const sorted = values.toSorted((one, other) => other.count - one.count)
  const named = sorted.slice(0, most).map((value) => `${shown(value)} ×${formatCount(value.count)}`)
  const more = values.length - named.length
  return more > 0 ? [...named, countOf(more, 'more value')].join(', ') : named.join(', ')
}

function shown({ text }: CountedValue): string {
  return cutWithMark(cleanLine(unquote(text).replace(/\s+/g, ' ')), LONGEST_SHOWN)
}

/** Number of rows to sample for finding the key column. */
const MOST_PROBED = 256
/** Smallest share of distinct cells in a key column. */
const DISTINCT_SHARE = 0.5
const FILLED_SHARE = 0.9
/** The key is the shortest column that has at least this share of the largest number of distinct cells. */
const ABOUT_AS_DISTINCT = 0.9
/** Largest share of a row's tokens for its key. If the key is larger, rows are shown instead. */
const KEY_SHARE = 0.45
const KEYS_SHARE = 0.55
/** Smallest number of rows for which keys are shown. */
const FEW_ROWS = 8
/** Longest shown key, in UTF-16 units. */
const LONGEST_KEY = 80
/** Matches cells that are distinct but have little meaning: numbers, times, ages, digests. */
const SAYS_LITTLE =
  /^[-+]?[\d.,]+[%KMGTP]?i?B?$|^(?:about )?\d+ ?[a-z]{1,8}(?: ago)?$|^\d{1,4}[:/-]\d\d(?:[:/.-]\d|$)|^(?:0x)?[\da-f]{6,}(?:-(?:0x)?[\da-f]+)?$/i

function rowKeys(tables: readonly TableData[]): HiddenNames {
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

/** Return the keys of the rows, from the shortest column that identifies the rows. */
function keysOf(data: TableData): HiddenNames | undefined {
  const { sample, split, names, labels } = data
  const best = labels === undefined ? undefined : keyColumn(data)
  if (best === undefined) return undefined
  const { column, cost } = best
  const known = new Map<SampledRow, string>()
  const keyOf = (row: SampledRow): string => {
    let key = known.get(row)
    if (key === undefined) {
      const cell = cleanLine(split(row.text)[column] ?? '').replace(/\s+/g, ' ')
      known.set(row, (key = cutWithMark(cell, LONGEST_KEY)))
    }
    return key
  }
  return {
    choose: (tokens) => {
      const room = tokens * KEYS_SHARE
      let count = Math.min(sample.length, Math.floor(room / Math.max(1, cost)))
      while (count > 0) {
        const keys = spread(sample, count).map((row) => ({ line: row.line, name: keyOf(row) }))
        const total = estimateTokens(keys.map(({ name }) => name).join(', '))
        if (total <= room) return keys.map((key) => ({ ...key, tokens: total / count }))
        count = Math.floor(count * Math.min(0.97, (room / total) * 1.01))
      }
      return []
    },
    write: (keys) => [
      `[${names?.[column] ?? labels?.[column] ?? `column ${column + 1}`} of ${keys.length} of them:] ${keys.map(({ name }) => name).join(', ')}`,
    ],
  }
}

function keyColumn({ sample, columns, split }: TableData): { column: number; cost: number } | undefined {
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
    .toSorted((one, other) => one.cost - other.cost)[0]
}

function spread<Row>(rows: readonly Row[], count: number): Row[] {
  return Array.from({ length: count }, (_, index) => rows[Math.floor(((index + 0.5) * rows.length) / count)]!)
}

/** Number of rows at each end that are shown before the rows between. */
const END_ROWS = 5
const UNITS: readonly string[] = ['', 'K', 'M', 'G', 'T', 'P']

/** Yield the first and last rows alternately, then rows between: by size, different rows first, or evenly spread. */
function* rowOrder(data: TableData): Generator<number> {
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

/** Yield the van der Corput sequence, starting in the middle. Every start of the sequence is evenly spread. */
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
