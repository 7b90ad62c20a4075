import { failureOf, type Shape } from './shape.ts'

/** Largest number of records to keep, for records with a word of failure and for others, and their largest length. */
const MOST_RECORDS = 192
const LONGEST_RECORD = 16_384
const MOST_RARITIES = 32

/** A member or a value that was rare when it was read. */
interface Rarity {
  /** Keys from the root. The key of an array item is `''`. */
  readonly path: readonly string[]
  /** The value, or `undefined` if the member itself was new. */
  readonly value: string | undefined
  /** 2 for a word of an error, 1 for a word of a warning, and 0 otherwise. */
  readonly failure: number
}

export interface RecordPlace {
  readonly path: readonly string[]
  /** Index in each array of the path, in order. */
  readonly indexes: readonly number[]
}

/** An object or row with values that were rare when they were read. */
interface RareRecord extends RecordPlace {
  readonly start: number
  readonly end: number
  readonly line: number
  readonly text: string
  readonly rarities: readonly Rarity[]
}

/** A record that differs from the other records of the document under the same path. */
export interface UnusualRecord extends RareRecord {
  readonly shape: Shape
  /** Rank, from 0. Records with words of failure rank above 1. */
  readonly rank: number
}

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

/** Return the shapes along a path, starting with the root. */
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
