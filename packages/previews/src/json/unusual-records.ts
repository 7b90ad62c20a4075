import { estimateTokens } from '@spillway/text/internal'
import type { JsonScan, RareRecord, Rarity, RecordPlace, UnusualRecord } from './json-scan.ts'
import { failureOf, type Shape } from './shape.ts'
import { KEY_SEPARATOR, readEntry, showCell, showKey, showKeys } from './show-value.ts'

/** Largest number of records to keep, for records with a word of failure and for others, and their largest length. */
const MOST_RECORDS = 192
const LONGEST_RECORD = 16_384
const MOST_RARITIES = 32

/** Finds unusual items of arrays, members of maps, and top-level values. */
export class UnusualRecords {
  readonly #root: Shape
  readonly #open: { start: number; line: number; rarities: Rarity[] | undefined }[] = []
  readonly #kept: readonly [RareRecord[], RareRecord[]] = [[], []]

  readonly #forms = new Set<string>()

  constructor(root: Shape) {
    this.#root = root
  }

  open(level: number, start: number, line: number): void {
    this.#open[level] = { start, line, rarities: undefined }
  }

  /** Add a rare value to the open levels from `from` to `to`. */
  add(from: number, to: number, path: readonly string[], value: string | undefined): void {
    const rarity = { path, value, failure: value === undefined ? 0 : failureOf(value) }
    for (let level = from; level <= to; level++) {
      const rarities = (this.#open[level]!.rarities ??= [])
      if (rarities.length < MOST_RARITIES) rarities.push(rarity)
    }
  }

  close(level: number, end: number, place: () => RecordPlace, textOf: (start: number, end: number) => string): void {
    const { start, line, rarities } = this.#open[level]!
    if (rarities === undefined || end - start > LONGEST_RECORD) return
    const kept = this.#kept[rarities.some(({ failure }) => failure > 0) ? 1 : 0]
    if (kept.length >= MOST_RECORDS) return
    const text = textOf(start, end)
    // Of records with the same rare values that otherwise differ only in numbers, only the first is kept.
    const form = rarities.map(({ value }) => value).join() + text.replaceAll(/[\da-f]*\d[\da-f]*/g, '0')
    if (this.#forms.has(form)) return
    this.#forms.add(form)
    kept.push({ ...place(), start, end, line, text, rarities })
  }

  /** Return the records in their order. A record has at least the rank of the records inside it. */
  unusual(): UnusualRecord[] {
    const all = this.#kept.flat().flatMap((record) => this.#judge(record) ?? [])
    const rankOf = ({ start, end }: UnusualRecord): number =>
      Math.max(...all.filter((inner) => inner.start >= start && inner.end <= end).map(({ rank }) => rank))
    return all.map((record) => ({ ...record, rank: rankOf(record) })).toSorted((one, other) => one.start - other.start)
  }

  #judge(record: RareRecord): UnusualRecord | undefined {
    const { path } = record
    const shapes = shapesOf(this.#root, path)
    const shape = shapes.at(-1)
    if (shape === undefined || !this.#isRecord(shapes, path.length)) return undefined
    let rank = 0
    const rarities = record.rarities.filter((rarity) => {
      const at = shapesOf(this.#root, rarity.path)
      // Values of records inside this record are not values of this record. A list of simple values has no records.
      const isInner = at.some(
        (one, depth) => depth > path.length && this.#isRecord(at, depth) && one!.scalars === undefined,
      )
      const own = isInner ? 0 : rankOf(rarity, shape, at.at(-1))
      rank = Math.max(rank, own)
      return own > 0
    })
    return rank === 0 ? undefined : { ...record, shape, rank, rarities }
  }

  /** Whether the value at a depth of a path has siblings of the same kind. */
  #isRecord(shapes: readonly (Shape | undefined)[], depth: number): boolean {
    if (depth === 0) return this.#root.seen > 1
    const [parent, shape] = [shapes[depth - 1], shapes[depth]]
    return shape !== undefined && (parent?.item === shape || parent?.others === shape)
  }
}

function shapesOf(root: Shape, path: readonly string[]): (Shape | undefined)[] {
  const shapes: (Shape | undefined)[] = [root]
  for (const key of path) {
    const parent = shapes.at(-1)
    shapes.push((key === '' ? parent?.item : undefined) ?? parent?.fields?.get(key) ?? parent?.others ?? parent?.item)
  }
  return shapes
}

/** A value is rare if it occurs few times, and another value occurs often. */
const RARE_TIMES = 3
const RARE_SHARE = 0.05
const USUAL_SHARE = 0.25
/** Largest share of a value with a word of failure, and smallest number of values at its path. */
const FAILURE_SHARE = 0.5
const LEAST_VALUES = 4

/** Return the rank of a rarity from the shapes of its record and its value. 0 for a value that is not rare. */
function rankOf({ value, failure }: Rarity, record: Shape, at: Shape | undefined): number {
  const all = (value === undefined ? record : at)?.seen ?? 0
  const times = (value === undefined ? at?.seen : at?.scalars?.timesOf(value)) ?? 0
  // Fractions are measured, so each of them may be rare.
  if (times === 0 || /^-?\d+\.\d/.test(value ?? '')) return 0
  const most = value === undefined ? all : at!.scalars!.mostTimes
  const isRare = times <= Math.max(RARE_TIMES, all * RARE_SHARE) && most >= Math.max(all * USUAL_SHARE, times * 3)
  const isFailure = failure > 0 && times <= all * FAILURE_SHARE && all >= LEAST_VALUES
  return isRare || isFailure ? failure + (1 - times / all) * (/^-?\d/.test(value ?? '') ? 0.5 : 1) : 0
}

/** Largest number of tokens for records with words of failure, and for others. */
const FAILURE_TOKENS = 300
const OTHER_TOKENS = 150
/** Largest and smallest number of tokens of a record, and largest number of UTF-16 units of its values. */
const MOST_RECORD = 70
const LEAST_TOKENS = 10
const MOST_UNITS = 200
const HEADING = '[records with unusual values:]'

/** Return the largest useful number of tokens for unusual records. */
export function mostTokensOf({ unusual }: JsonScan): number {
  return unusual.some(({ rank }) => rank > 1) ? FAILURE_TOKENS : OTHER_TOKENS
}

/** Write records, those with the highest rank first, as far as they fit. Returns the text after a newline, or `''`. */
export function unusualWriter({ unusual, oneLine, byLine }: JsonScan): (tokens: number) => string {
  const told = new Map<string, number>()
  const ranks = unusual.map(({ rank, rarities }) => {
    // A value that occurs again is worth less.
    const values = rarities.map(({ path, value }) => JSON.stringify([path, value]))
    const before = Math.min(...values.map((value) => told.get(value) ?? 0))
    for (const value of values) told.set(value, (told.get(value) ?? 0) + 1)
    return rank / (1 + before / 2)
  })
  const shown: (string | undefined)[] = []
  const order = [...ranks.keys()].toSorted((one, other) => ranks[other]! - ranks[one]!)
  return (tokens) => {
    let left = tokens - estimateTokens(HEADING) - 1
    const lines: string[] = []
    for (const index of order) {
      if (left < LEAST_TOKENS) break
      const record = unusual[index]!
      const values = (shown[index] ??= showRecord(record))
      const text = `${oneLine && !byLine ? '' : `${record.line}: `}${values}`
      const cost = estimateTokens(text) + 1
      if (cost > left || values === '') continue
      left -= cost
      lines[index] = text
    }
    return lines.length === 0 ? '' : `\n${[HEADING, ...lines.filter(Boolean)].join('\n')}`
  }
}

/** Write the unusual values of a record, and the values that say most about it. */
function showRecord({ path, shape, text, indexes, rarities }: UnusualRecord): string {
  const unusual = rarities.map((rarity) => rarity.path.slice(path.length).filter((key) => key !== ''))
  const cells = [...readEntry(text, false, shape.isRow).cells].flatMap(([joined, raw], index) => {
    const keys = joined.split(KEY_SEPARATOR)
    const isUnusual = unusual.some((rare) => rare.every((key, depth) => keys[depth] === key))
    if (raw === '""' || /^\[(?:[\d,]+ items?)?\]$/.test(raw)) return []
    const digits = raw.replaceAll(/\D/g, '').length / raw.length
    // Usual values are in the structure. Times and long numbers say little.
    if (
      !isUnusual &&
      (raw.startsWith('[') || shape.at(keys)?.scalars?.isUsual(raw) || (digits > 0.5 && raw.length > 8))
    )
      return []
    const hasWords = /^\[?"[^"]*\p{L}\S* +\S*\p{L}/u.test(raw)
    const price = index * 0.3 + keys.length * 4 + digits * 30 + Math.min(raw.length, MOST_UNITS) / 8
    return { index, name: showKeys(keys, shape), raw, price: price - (hasWords ? 20 : 0) - (isUnusual ? 20 : 0) }
  })
  let left = MOST_RECORD
  const shown: string[] = []
  const known: string[] = []
  for (const { index, name, raw } of cells.toSorted((one, other) => one.price - other.price)) {
    const bare = raw.replace(/^"(.*)"$/s, '$1')
    if (bare.length > 3 && known.some((one) => one.includes(bare) || bare.includes(one))) continue
    const cell = `${name}: ${showCell(raw, Math.min(MOST_UNITS, left * 2))}`
    const tokens = estimateTokens(cell) + 1
    if (tokens > left) continue
    left -= tokens
    shown[index] = cell
    known.push(bare)
  }
  return shown.length === 0 ? '' : `${showPlace(path, indexes)}${shown.filter(Boolean).join(', ')}`
}

/** Return a path with a colon, or an empty text for a top-level value. */
function showPlace(path: readonly string[], indexes: readonly number[]): string {
  const left = [...indexes]
  const place = path.map((key) => (key === '' ? `[${left.shift()}]` : `.${showKey(key)}`)).join('')
  return place === '' ? '' : `${place.replace(/^\./, '')}: `
}
