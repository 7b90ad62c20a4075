import { detach } from '@spillway/text/internal'

/** Members with names of their own that one shape has; further ones are taken together. */
const MOST_FIELDS = 512
/** From so many members on, members that are all alike are taken together while the text is read. */
const FOLDED_EARLY = 64
/** From so many members on, members that are all alike are shown as one. */
const FOLDED = 6
/** From so many simple values on, an object is a list of values by name. */
const LISTED = 100
/** In so many objects or more, so many names or more are data where each object has no larger share of them. */
const SPARSE_OBJECTS = 8
const SPARSE_FIELDS = 12
const SPARSE_SHARE = 0.2
/** Names kept of members that are taken together. */
const MOST_NAMES = 512
/** Share of the names of two objects that must be the same for them to be alike. */
const ALIKE = 0.5

/** The shapes that may still be made: one count for a whole document. */
export interface ShapeRoom {
  left: number
}

/**
 * What the values under one path are made of, taken together: of all items of an array, and of all members of an object
 * that serves as a map.
 */
export class Shape {
  readonly key: string
  /** Values under this path. */
  seen = 0
  objects = 0
  arrays = 0
  scalars: ValueSummary | undefined
  fields: Map<string, Shape> | undefined
  /** Members whose names differ, taken together, with the first names. */
  others: Shape | undefined
  names: Set<string> | undefined
  /** Members of an object. */
  leastKeys: number = Infinity
  mostKeys = 0
  item: Shape | undefined
  /** Items of an array. */
  leastItems: number = Infinity
  mostItems = 0
  /** The member that came first, and the one that came after this one, the last time. */
  first: Shape | undefined
  next: Shape | undefined
  /** Lines of the first array or object: 1-based, the last one inclusive. */
  startLine = 0
  endLine = 0

  constructor(key: string) {
    this.key = key
  }

  /** The shape of the member of this name. */
  field(name: string, room: ShapeRoom): Shape {
    this.fields ??= new Map()
    const known = this.fields.get(name)
    if (known !== undefined) return known
    if (this.others === undefined && this.fields.size < MOST_FIELDS && room.left > 0) {
      if (this.fields.size >= FOLDED_EARLY && (this.fields.size & (this.fields.size - 1)) === 0) this.fold(room)
      if (this.others === undefined) {
        const shape = new Shape(detach(name))
        room.left--
        this.fields.set(shape.key, shape)
        return shape
      }
    }
    if (this.others === undefined) {
      this.others = new Shape('*')
      this.names = new Set()
    }
    if (this.names!.size < MOST_NAMES) this.names!.add(detach(name))
    return this.others
  }

  /** The shape of what stands under the keys; `''` is for the items of an array. Members of maps have none. */
  at([key, ...rest]: readonly string[]): Shape | undefined {
    if (key === undefined) return this
    return (key === '' ? this.item : this.fields?.get(key))?.at(rest)
  }

  /** Take members together that are all alike. */
  fold(room: ShapeRoom): void {
    const { fields } = this
    if (fields === undefined || fields.size < FOLDED) return
    if (this.#isSparse(fields) || areAlike([...fields.values()])) this.#takeTogether(room)
  }

  #takeTogether(room: ShapeRoom): void {
    const fields = this.fields ?? new Map<string, Shape>()
    const late = this.others
    const others = new Shape('*')
    this.names = new Set([...fields.keys(), ...(this.names ?? [])])
    for (const field of fields.values()) {
      room.left++
      others.merge(field, room)
    }
    if (late !== undefined) others.merge(late, room)
    this.others = others
    this.fields = new Map()
    this.first = undefined
  }

  /** Whether the names are data: each object has a few of many, and all of them hold simple values. */
  #isSparse(fields: ReadonlyMap<string, Shape>): boolean {
    if (fields.size < SPARSE_FIELDS || this.objects < SPARSE_OBJECTS) return false
    let seen = 0
    for (const field of fields.values()) {
      if (field.objects + field.arrays > 0) return false
      seen += field.seen
    }
    return seen < SPARSE_SHARE * fields.size * this.objects
  }

  /** Whether this is one object that lists many simple values by name. */
  #isList(): boolean {
    if (this.objects !== 1 || this.fields === undefined || this.fields.size < LISTED) return false
    for (const field of this.fields.values()) if (field.objects + field.arrays > 0) return false
    return true
  }

  /** Do so here and in all that stands below. */
  foldAll(room: ShapeRoom): void {
    this.fold(room)
    if (this.#isList()) this.#takeTogether(room)
    this.item?.foldAll(room)
    this.others?.foldAll(room)
    for (const field of this.fields?.values() ?? []) field.foldAll(room)
  }

  /** Take in what another shape has seen, as if it had been under this path. */
  merge(other: Shape, room: ShapeRoom): void {
    if (this.seen === 0) {
      this.startLine = other.startLine
      this.endLine = other.endLine
    }
    this.seen += other.seen
    this.objects += other.objects
    this.arrays += other.arrays
    this.leastKeys = Math.min(this.leastKeys, other.leastKeys)
    this.mostKeys = Math.max(this.mostKeys, other.mostKeys)
    this.leastItems = Math.min(this.leastItems, other.leastItems)
    this.mostItems = Math.max(this.mostItems, other.mostItems)
    if (other.scalars !== undefined) (this.scalars ??= new ValueSummary()).merge(other.scalars)
    if (other.item !== undefined) (this.item ??= new Shape('')).merge(other.item, room)
    for (const field of other.fields?.values() ?? []) {
      room.left++
      this.field(field.key, room).merge(field, room)
    }
    if (other.others === undefined) return
    this.others ??= new Shape('*')
    this.names ??= new Set()
    for (const name of other.names ?? []) if (this.names.size < MOST_NAMES) this.names.add(name)
    this.others.merge(other.others, room)
  }
}

/** Whether shapes are all objects, or all arrays of objects, that mostly have the same members as the first. */
function areAlike(shapes: readonly Shape[]): boolean {
  const first = namesOf(shapes[0]!)
  if (first === undefined || first.size === 0) return false
  let alike = 0
  for (const shape of shapes) {
    const names = namesOf(shape)
    if (names === undefined || shape.arrays > 0 !== shapes[0]!.arrays > 0) return false
    let both = 0
    for (const name of names.keys()) if (first.has(name)) both++
    alike += both / Math.max(1, names.size + first.size - both)
  }
  return alike / shapes.length >= ALIKE
}

const NAMELESS: ReadonlyMap<string, Shape> = new Map()

/** The members of an object, or of the objects of an array; `undefined` where there are other values. */
function namesOf(shape: Shape): ReadonlyMap<string, Shape> | undefined {
  if (shape.scalars !== undefined || shape.others !== undefined) return undefined
  if (shape.objects > 0 && shape.arrays > 0) return undefined
  if (shape.arrays > 0) {
    if (shape.item === undefined) return NAMELESS
    return shape.item.arrays > 0 || shape.item.scalars !== undefined ? undefined : (shape.item.fields ?? NAMELESS)
  }
  return shape.fields ?? NAMELESS
}

/** Different values that are remembered of one key. */
const MOST_VALUES = 8
/** The first times that a value comes are told from later ones. */
export const FIRST_TIMES = 3
/** The start of a value that is kept, in UTF-16 units. */
const KEPT_UNITS = 512

/** What is remembered of the numbers, strings, `true`, `false` and `null` that stand under one path. */
export class ValueSummary {
  strings = 0
  numbers = 0
  words = 0
  /** The first different values as they stand in the text, strings with their quotes. */
  readonly values: string[] = []
  /** How often each of them came. */
  readonly times: number[] = []
  /** Whether there are more values than these: then the counts say nothing. */
  more = false
  least: number = Infinity
  leastText = ''
  most: number = -Infinity
  mostText = ''
  /** Length of the first value, in units of the text: it may be kept only in part. */
  firstLength = 0
  /** The place of the value that was added last. */
  #last = 0

  /**
   * Add the string from `start` to `end`, with its quotes. Each of these returns whether the value is one of the first of
   * its kind: see {@link FIRST_TIMES}.
   *
   * @param length - Its length, where only its start is given.
   */
  addString(text: string, start: number, end: number, length: number = end - start): boolean {
    this.strings++
    return !this.more && this.#add(text, start, end, length)
  }

  addWord(text: string, start: number, end: number): boolean {
    this.words++
    return this.#add(text, start, end, end - start)
  }

  addNumber(text: string, start: number, end: number): boolean {
    this.numbers++
    const value = readNumber(text, start, end)
    if (value < this.least) {
      this.least = value
      this.leastText = detach(text.slice(start, end))
    }
    if (value > this.most) {
      this.most = value
      this.mostText = detach(text.slice(start, end))
    }
    return !this.more && this.#add(text, start, end, end - start)
  }

  /** The value that was added last, and how often it came up to now. */
  get last(): string {
    return this.values[this.#last] ?? ''
  }

  /** How often a value came; `Infinity` where there are too many to tell. */
  timesOf(value: string): number {
    return this.more ? Infinity : (this.times[this.values.indexOf(value)] ?? 0)
  }

  #add(text: string, start: number, end: number, length: number): boolean {
    const { values, times } = this
    if (values.length === 0) this.firstLength = length
    const keptEnd = length > KEPT_UNITS ? Math.min(end, start + KEPT_UNITS) : end
    let index = this.#last
    if (values.length === 0 || !isSame(values[index]!, text, start, keptEnd)) {
      index = 0
      while (index < values.length && !isSame(values[index]!, text, start, keptEnd)) index++
      if (index === MOST_VALUES) {
        this.more = true
        return false
      }
      if (index === values.length) {
        values.push(detach(text.slice(start, keptEnd)))
        times.push(0)
      }
    }
    // Of long values only the start is kept, so that they cannot be told from one another.
    if (length > KEPT_UNITS && times[index]! > 0) this.more = true
    this.#last = index
    return ++times[index]! <= FIRST_TIMES
  }

  merge(other: ValueSummary): void {
    if (this.values.length === 0) this.firstLength = other.firstLength
    this.strings += other.strings
    this.numbers += other.numbers
    this.words += other.words
    this.more ||= other.more
    if (other.least < this.least) {
      this.least = other.least
      this.leastText = other.leastText
    }
    if (other.most > this.most) {
      this.most = other.most
      this.mostText = other.mostText
    }
    for (const [index, value] of other.values.entries()) {
      const known = this.values.indexOf(value)
      const times = other.times[index]!
      if (known >= 0) {
        if (value.length >= KEPT_UNITS) this.more = true
        this.times[known]! += times
      } else if (this.values.length < MOST_VALUES) {
        this.values.push(value)
        this.times.push(times)
      } else this.more = true
    }
  }
}

const POWERS: readonly number[] = Array.from({ length: 16 }, (_, power) => 10 ** power)

/** The number that a text says, `NaN` where it says none. Up to 15 digits are read in place. */
function readNumber(text: string, start: number, end: number): number {
  if (end - start > 16) return Number(text.slice(start, end))
  let value = 0
  let decimals = -1
  let index = start
  const negative = text.charCodeAt(start) === 45
  if (negative) index++
  for (; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) {
      value = value * 10 + code - 48
      if (decimals >= 0) decimals++
    } else if (code === 46 && decimals < 0) decimals = 0
    else return Number(text.slice(start, end))
  }
  // Exact: both fit into the 53 bits of a number, and a division rounds once.
  if (value > 2 ** 53) return Number(text.slice(start, end))
  if (decimals > 0) value /= POWERS[decimals]!
  return negative ? -value : value
}

/** Whether a string stands in a text from `start` to `end`. */
export function isSame(value: string, text: string, start: number, end: number): boolean {
  if (value.length !== end - start) return false
  // Strings that begin alike differ near their ends.
  for (let index = value.length - 1; index >= 0; index--) {
    if (value.charCodeAt(index) !== text.charCodeAt(start + index)) return false
  }
  return true
}
