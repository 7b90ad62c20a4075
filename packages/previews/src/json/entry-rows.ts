import { countOf, estimateTokens } from '@spillway/text/internal'
import { sqlExample, withSqlExample } from '../layout/gap-marks.ts'
import { textItem, type Item, type PreviewModel } from '../layout/preview-model.ts'
import { previewDrafts } from '../layout/write-preview.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { Shape } from './shape.ts'
import { CELL_UNITS, KEY_SEPARATOR, readEntry, showCell, showKey, showKeys, type Cells } from './show-value.ts'
import type { EntryPlace, Passage } from './passage-keeper.ts'

/** Largest and smallest number of tokens of a row, and its largest share of the space for rows. */
const MOST_ROW = 90
const LEAST_ROW = 30
const ROW_SHARE = 0.1
/** Share of the space for rows that the call searches for, and their value. */
const WANTED_SHARE = 0.5
const WANTED_WORTH = 10
/** Value of the last row, compared with the first row. */
const LAST_WORTH = 0.66
/** Number of entries to read at each end of a passage: a minimum, and one more for each `SHORTEST_ROW` tokens. */
const FEWEST_READ = 24
const SHORTEST_ROW = 6
/** Number of rows in the sample that decides about the columns. */
const SAMPLED = 24
interface Column {
  /** Average number of tokens in a value. */
  readonly tokens: number
  /** Rank of the column. Columns with low ranks are shown first. */
  readonly rank: number
}

/** Write the entries of an array or a map as table rows: the keys once, and then one line of values for each entry. */
export function rowsWriter(passage: Passage, shape: Shape, options: PreviewOptions): (tokens: number) => string {
  const columns = new Map<string, Column>()
  /** Drafts by their columns, so that each row is written only once. */
  const drafts = new Map<string, ReturnType<typeof previewDrafts>>()
  const rows = entryRows(passage, shape, FEWEST_READ + options.budgetTokens / SHORTEST_ROW)
  const byLine = rows[0]?.place.index === 0 && new Set(rows.map(({ place }) => place.line)).size === rows.length
  const step = Math.max(1, Math.floor(rows.length / SAMPLED))
  const sample = rows.filter((_, index) => index % step === 0)
  const all = new Set(sample.flatMap(({ cells }) => [...cells.keys()]))
  // Keys that are data do not become columns.
  const paths = [...all].filter((path) => shapeAt(path) !== undefined)
  const told = new Set<string>()
  for (const path of paths) {
    const cells = sample.map((row) => row.cells.get(path) ?? '')
    // A column is left out if another column has the same cells, or if all rows have the same value.
    const column = cells.join('\n').replaceAll('"', '')
    if (told.has(column) || (sample.length > 1 && new Set(cells).size === 1 && !varies(path))) continue
    told.add(column)
    const tokens = cells.reduce((sum, raw) => sum + estimateTokens(showCell(raw)) + 1, 0) / cells.length
    const empty = cells.filter((raw) => raw === '').length / cells.length
    const worded = cells.filter((raw) => /^"[^"]*\p{L} +\p{L}/u.test(raw)).length / cells.length
    const place = columns.size + path.split(KEY_SEPARATOR).length * 4
    const kind = (varies(path) ? -4 : 0) + (isCount(path) ? 12 : 0)
    const rank = tokens * 0.6 + place + kind + empty * 12 - worded * 8
    columns.set(path, { tokens, rank })
  }

  function shapeAt(path: string): Shape | undefined {
    return shape.at(path === '' ? [] : path.split(KEY_SEPARATOR))
  }

  function isCount(path: string): boolean {
    const item = shapeAt(path)?.item
    return item !== undefined && item.scalars === undefined
  }

  /** Whether a column has more than one value, but only a few different values. */
  function varies(path: string): boolean {
    const values = shapeAt(path)?.scalars
    return values !== undefined && !values.more && values.values.length > 1
  }

  /** Return the rows after a newline. Returns an empty text if no row fits. */
  function write(tokens: number): string {
    const columns = chooseColumns(Math.min(MOST_ROW, Math.max(LEAST_ROW, tokens * ROW_SHARE)))
    if (columns.length === 0 || rows.length < 2) return ''
    const key = JSON.stringify(columns)
    const draft = drafts.get(key) ?? draftsOf(columns)
    drafts.set(key, draft)
    const { text } = draft(tokens)
    // A gap without rows is useless.
    return text.split('\n').length > 2 ? `\n${text}` : ''
  }

  function draftsOf(columns: readonly string[]): ReturnType<typeof previewDrafts> {
    const name = passage.keys.findLast((key) => key !== '')
    const place = [...(name === undefined ? [] : [showKey(name)]), ...(byLine ? ['by line'] : [])].join(' ')
    const column = columnToCount()
    const paths = columns.map((path) => (path === '' ? 'value' : showKeys(path.split(KEY_SEPARATOR), shape)))
    const keys = `${passage.isObject ? 'key, ' : ''}${paths.join(', ')}`
    return previewDrafts(
      {
        ...(byLine ? lines() : entries(sqlExample(options, column))),
        items: rows.map((row, index) => item(row, index, columns)),
        header: `${place}${place === '' ? '' : ': '}${keys}`,
        alwaysHeader: true,
        shares: [WANTED_SHARE, 1],
        lineShare: 1,
        endShare: 0,
      },
      withSqlExample(options, column),
    )
  }

  /** Return a column for an example SQL statement. Only the largest array is a table in SQL. */
  function columnToCount(): string | undefined {
    const { isObject, keys } = passage
    if (isObject || keys.includes('') || shape.objects === 0) return undefined
    return [...columns.keys()].find((path) => !path.includes(KEY_SEPARATOR) && varies(path))
  }

  function item(row: EntryRow, index: number, columns: readonly string[]): Item {
    const { place, nextLine, wanted } = row
    const fromEnd = rows.length - 1 - index
    const value = wanted ? WANTED_WORTH : Math.max(1 / (1 + index), LAST_WORTH / (1 + fromEnd))
    const text = showRow(row, columns, passage.isObject)
    const item = textItem(byLine ? place.line : place.index, text, value)
    if (byLine && nextLine !== undefined) item.end = Math.max(place.line, nextLine - 1)
    item.numbered = byLine
    item.part = wanted ? 0 : 1
    return item
  }

  function lines(): Pick<PreviewModel, 'from' | 'lines' | 'label' | 'counted' | 'hidden'> {
    const { entries, endLine, lastLine, isTop } = passage
    return {
      from: rows[0]!.place.line,
      lines: isTop ? endLine : Math.max(lastLine, endLine - 1),
      label: (line) => `${line}: `,
      counted: (count) => countOf(count, 'line'),
      hidden: (start, end) => {
        const before = rows.findLast(({ place }) => place.line < start)?.place.index ?? -1
        const after = rows.find(({ place }) => place.line > end)?.place.index ?? entries
        const count = after - before - 1
        return count === end - start + 1 ? '' : counted(count)
      },
    }
  }

  function entries(call: string | undefined): Pick<PreviewModel, 'from' | 'lines' | 'label' | 'counted' | 'show'> {
    return {
      from: 0,
      lines: passage.entries - 1,
      label: (index) => `[${index}] `,
      counted: (count) => counted(count),
      show: () => call,
    }
  }

  function counted(entries: number): string {
    return countOf(entries, passage.isObject ? 'key' : 'item')
  }

  /** Choose the columns with the most information for their tokens. */
  function chooseColumns(room: number): string[] {
    const ranked = [...columns].toSorted(([, one], [, other]) => one.rank - other.rank)
    const chosen = new Set<string>()
    let left = room
    for (const [path, { tokens }] of ranked) {
      if (tokens > left && chosen.size > 0) continue
      left -= tokens
      chosen.add(path)
    }
    return [...columns.keys()].filter((path) => chosen.has(path))
  }

  return write
}

/** Longest shown value in a row that the call searches for, in UTF-16 units. */
const WANTED_UNITS = 200

interface EntryRow {
  readonly place: EntryPlace
  /** Line of the next entry. `undefined` if unknown. */
  readonly nextLine: number | undefined
  /** Key of the entry if it is a member of a map. */
  readonly name: string
  readonly cells: Cells
  /** Whether the call searches for words of the entry. */
  readonly wanted: boolean
}

/** @param most - Largest number of entries to read at each end. */
function entryRows(passage: Passage, shape: Shape, most: number): EntryRow[] {
  const rows = new Map<number, EntryRow>()
  const kept = passage.kept(most)
  for (const [index, { place, text }] of kept.entries()) {
    const nextPlace = kept[index + 1]?.place
    const nextLine =
      nextPlace?.index === place.index + 1
        ? nextPlace.line
        : place.index === passage.entries - 1
          ? passage.nextLine
          : undefined
    rows.set(place.index, { place, nextLine, ...readEntry(text, passage.isObject, shape.isRow), wanted: false })
  }
  for (const { place, nextLine, text } of passage.wanted)
    rows.set(place.index, { place, nextLine, ...readEntry(text, passage.isObject, shape.isRow), wanted: true })
  return [...rows.values()]
    .filter(({ cells }) => cells.size > 0)
    .toSorted((one, other) => one.place.index - other.place.index)
}

function showRow({ name, cells, wanted }: EntryRow, columns: readonly string[], isMember: boolean): string {
  const shown = columns.map((path) => showCell(cells.get(path) ?? '', wanted ? WANTED_UNITS : CELL_UNITS))
  if (isMember) shown.unshift(showCell(`"${name}"`, WANTED_UNITS))
  return shown.join(', ').trimEnd()
}
