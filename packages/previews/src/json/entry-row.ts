import { cleanLine, cutAtGrapheme } from '@spillway/text/internal'
import { lineSignal } from '../log/line-signal.ts'
import type { EntryPlace, NotableEntry, Passage, Rarity } from './passage.ts'
import { KEY_SEPARATOR, readEntry, type Cells } from './read-entry.ts'
import type { Shape } from './shape.ts'
import { showScalar, tidy } from './show-value.ts'
import { showKey } from './skeleton-node.ts'

/** Longest part of a value that is shown in a row, and of one that makes the row notable, in UTF-16 units. */
const CELL_UNITS = 56
const NOTABLE_UNITS = 200
/** An entry is notable if no larger share of all holds what it holds. */
const RARE_SHARE = 0.05
const RARE_TIMES = 3

/** An entry of an array or of a map, ready to be shown as a row. */
export interface EntryRow {
  readonly place: EntryPlace
  /** The line that the next entry begins on; `undefined` where that is not known. */
  readonly nextLine: number | undefined
  /** Of a member, its key. */
  readonly name: string
  readonly cells: Cells
  /** What makes the entry notable: where it holds what few others do. */
  readonly rare: readonly Rarity[]
  /** Which notable entries come first; 0 for others. */
  readonly rank: number
}

/**
 * The entries that are kept of a passage, in order.
 *
 * @param shape - What the entries are made of.
 * @param most - How many of the first, and of the last, at most.
 */
export function entryRows(passage: Passage, shape: Shape, most: number): EntryRow[] {
  const rows = new Map<number, EntryRow>()
  const kept = passage.kept(most)
  for (const [index, { place, text }] of kept.entries()) {
    const nextPlace = kept[index + 1]?.place
    const nextLine =
      nextPlace?.index === place.index + 1
        ? nextPlace.line
        : place.index === passage.entries - 1
          ? passage.endLine
          : undefined
    rows.set(place.index, { place, nextLine, ...readEntry(text, passage.isObject), rare: [], rank: 0 })
  }
  for (const entry of passage.notable) {
    const { place, nextLine, text, wanted } = entry
    const read = readEntry(text, passage.isObject)
    const rare = raritiesOf(entry, shape, passage.entries)
    if (wanted || rare.length > 0)
      rows.set(place.index, { place, nextLine, ...read, rare, rank: (wanted ? 1_000 : 0) + 1 + weight(read.cells) })
  }
  return [...rows.values()]
    .filter(({ cells }) => cells.size > 0)
    .toSorted((one, other) => one.place.index - other.place.index)
}

/** What turned out to be rare: it never came often, and stands under a key that is no data. */
function raritiesOf({ rarities }: NotableEntry, shape: Shape, entries: number): Rarity[] {
  const most = Math.max(RARE_TIMES, entries * RARE_SHARE)
  const rare = rarities.filter(({ path, value }) => {
    const at = shape.at(path)
    const times = value === undefined ? at?.seen : at?.scalars?.timesOf(value)
    return times !== undefined && times > 0 && times <= most
  })
  // A new member says that all in it is new.
  return rare.filter(({ path }) => !rare.some((other) => other.path.length < path.length && isWithin(path, other.path)))
}

const isWithin = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((key, index) => path[index] === key)

/** How much the values of an entry look like a failure, from 0 to 100. */
function weight(cells: Cells): number {
  let most = 0
  for (const raw of cells.values()) {
    if (/^"[^"]/.test(raw)) most = Math.max(most, lineSignal(cleanLine(raw.slice(1, 513))).weight)
  }
  return most
}

/** Show a row as its values in `columns`, and what makes it notable with the keys. */
export function showRow({ name, cells, rare }: EntryRow, columns: readonly string[], isMember: boolean): string {
  const shown = columns.map((path) => showCell(cells.get(path) ?? '', CELL_UNITS))
  if (isMember) shown.unshift(showCell(`"${name}"`, NOTABLE_UNITS))
  const known = new Set(columns)
  const notes: string[] = []
  for (const { path, value } of rare) {
    // A value in an array has no cell of its own.
    if (path.includes('')) notes.push(...(value === undefined ? [] : [note(path, value)]))
    else {
      for (const [cell, raw] of cells) {
        const keys = cell.split(KEY_SEPARATOR)
        if (!known.has(cell) && isWithin(keys, path)) notes.push(note(keys, raw))
      }
    }
  }
  return [...shown, ...new Set(notes)].join(', ').trimEnd()
}

const note = (keys: readonly string[], raw: string): string => `${showKeys(keys)}: ${showCell(raw, NOTABLE_UNITS)}`

/** A value without quotes, unless it would be taken for more than one value, or for none. */
export function showCell(raw: string, units: number = CELL_UNITS): string {
  if (!raw.startsWith('"')) {
    const text = tidy(raw)
    return text.length > units ? `${cutAtGrapheme(text, units)}…` : text
  }
  const { text, cut } = showScalar(raw, units)
  return cut || raw.length === 2 || /[,|\n]|^"\s|\s"$/.test(raw) ? text : text.slice(1, -1)
}

/** The keys of a column, joined with points. */
export function showPath(path: string): string {
  return path === '' ? 'value' : showKeys(path.split(KEY_SEPARATOR))
}

function showKeys(keys: readonly string[]): string {
  return keys.map((key, index) => (key === '' ? '[]' : (index > 0 ? '.' : '') + showKey(key))).join('')
}
