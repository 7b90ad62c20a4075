import { detach } from '@spillway/text/internal'
import { ERROR, severityOfLine, WARNING } from '../log/line-words.ts'

/** Largest number of named members in a shape. Further members are merged into one. */
const MOST_FIELDS = 512
/** Number of members from which similar members are merged while the text is read. */
const FOLDED_EARLY = 64
/** Smallest number of similar members that are merged at the end. */
const FOLDED = 6
/** Number of simple values from which an object is treated as a map. */
const LISTED = 100
/** Limits from which member names are data: number of objects, of names, and largest share of names in one object. */
const SPARSE_OBJECTS = 8
const SPARSE_FIELDS = 12
const SPARSE_SHARE = 0.2
/** Number of names to keep of merged members. */
const MOST_NAMES = 512
/** Smallest average share of common names if objects are similar. */
const ALIKE = 0.5

/** Largest number of columns in a table whose rows are arrays. */
export const MOST_COLUMNS = 128

/** Number of shapes that a document may still create. */
export interface ShapeRoom {
  left: number
}

/** The merged structure of all values under one path: all items of an array, or all members of a map. */
export class Shape {
  readonly key: string
  seen = 0
  objects = 0
  arrays = 0
  scalars: ValueSummary | undefined
  fields: Map<string, Shape> | undefined
  /** Shape of all merged members, which have different names. */
  others: Shape | undefined
  names: Set<string> | undefined
  /** Smallest and largest number of members in one object. */
  leastKeys: number = Infinity
  mostKeys = 0
  item: Shape | undefined
  /** Whether arrays are rows of a table. The items of rows are in `fields`, and their keys are positions. */
  isRow = false
  /**
   * Strings of the first array, or names of its objects. They may name the columns of a table. Empty if another array
   * has other strings.
   */
  titles: string[] | undefined
  columnNames: readonly string[] | undefined
  /** Smallest and largest number of items in one array. */
  leastItems: number = Infinity
  mostItems = 0
  /** The first member, and the member that followed this member in the last object. */
  first: Shape | undefined
  next: Shape | undefined
  /** First and last line of the first array or object, counted from 1. */
  startLine = 0
  endLine = 0

  constructor(key: string) {
    this.key = key
  }

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

  /** Return the shape at a path. The key of an array item is `''`. Merged members have no shape of their own. */
  at([key, ...rest]: readonly string[]): Shape | undefined {
    if (key === undefined) return this
    return (key === '' ? this.item : (this.fields?.get(key) ?? this.item))?.at(rest)
  }

  /** Return the shape of an array's item. Rows whose first item is an array or object are not rows of a table. */
  itemAt(index: number, isSimple: boolean, room: ShapeRoom): Shape {
    if (this.isRow && index < MOST_COLUMNS && (index > 0 || isSimple)) return this.field(String(index), room)
    if (this.isRow) this.mergeColumns(room)
    return (this.item ??= new Shape(''))
  }

  /** Merge all columns into one shape, because arrays are lists and not rows. */
  mergeColumns(room: ShapeRoom): void {
    if (!this.isRow) return
    this.isRow = false
    this.item ??= new Shape('')
    for (const column of [...(this.fields?.values() ?? []), ...(this.others === undefined ? [] : [this.others])]) {
      room.left++
      this.item.merge(column, room)
    }
    this.fields = this.others = this.names = undefined
  }

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

  /** Whether names are data: there are many names, each object has only a few of them, and all values are simple. */
  #isSparse(fields: ReadonlyMap<string, Shape>): boolean {
    if (fields.size < SPARSE_FIELDS || this.objects < SPARSE_OBJECTS) return false
    let seen = 0
    for (const field of fields.values()) {
      if (field.objects + field.arrays > 0) return false
      seen += field.seen
    }
    return seen < SPARSE_SHARE * fields.size * this.objects
  }

  #isList(): boolean {
    if (this.objects !== 1 || this.fields === undefined || this.fields.size < LISTED) return false
    for (const field of this.fields.values()) if (field.objects + field.arrays > 0) return false
    return true
  }

  foldAll(room: ShapeRoom): void {
    if (this.isRow && !isTable(this)) this.mergeColumns(room)
    this.fold(room)
    if (this.#isList()) this.#takeTogether(room)
    this.item?.foldAll(room)
    this.others?.foldAll(room)
    for (const field of this.fields?.values() ?? []) field.foldAll(room)
  }

  merge(other: Shape, room: ShapeRoom): void {
    if (this.seen === 0) {
      this.isRow = other.isRow
      this.columnNames = other.columnNames
      this.startLine = other.startLine
      this.endLine = other.endLine
    } else if (this.isRow !== other.isRow) {
      this.mergeColumns(room)
      other.mergeColumns(room)
    } else if (String(this.columnNames) !== String(other.columnNames)) this.columnNames = undefined
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

/** Whether arrays are rows of a table. Arrays of numbers without names are a matrix. */
function isTable({ arrays, leastItems, mostItems, columnNames, fields, others }: Shape): boolean {
  if (columnNames !== undefined) return true
  if (others !== undefined || arrays < 2 || mostItems < 2 || leastItems < mostItems) return false
  return [...(fields?.values() ?? [])].some(({ scalars }) => scalars !== undefined && scalars.strings > 0)
}

/** Whether shapes are similar. Each shape is compared with the first shape. */
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

/** Return the member names of an object or of an array's items. Returns `undefined` for other values. */
function namesOf(shape: Shape): ReadonlyMap<string, Shape> | undefined {
  if (shape.scalars !== undefined || shape.others !== undefined) return undefined
  if (shape.objects > 0 && shape.arrays > 0) return undefined
  if (shape.arrays > 0) {
    if (shape.item === undefined) return NAMELESS
    return shape.item.arrays > 0 || shape.item.scalars !== undefined ? undefined : (shape.item.fields ?? NAMELESS)
  }
  return shape.fields ?? NAMELESS
}

/** Return 2 for a text that reports an error, 1 for a warning, and 0 otherwise. */
export function failureOf(text: string): number {
  const severity = severityOfLine(text.slice(0, 80).replaceAll(/["_-]/g, ' ').trimStart())
  return severity === ERROR ? 2 : severity === WARNING ? 1 : 0
}

const MOST_VALUES = 16
/** Largest number of occurrences for which a value counts as rare. */
export const FIRST_TIMES = 3
/** The same number for a value with a word of failure. */
const FIRST_FAILURES = 512
/** Longest kept start of a value, in UTF-16 units. */
const KEPT_UNITS = 512

/** Summary of the simple values under one path. */
export class ValueSummary {
  strings = 0
  numbers = 0
  words = 0
  /** The first distinct values, as they are in the text. */
  readonly values: string[] = []
  readonly times: number[] = []
  /** Whether there are more distinct values. The counts are then incomplete. */
  more = false
  least: number = Infinity
  leastText = ''
  most: number = -Infinity
  mostText = ''
  /** Length of the first value in the text. */
  firstLength = 0
  #last = 0
  /** Whether frequent values have a word of failure. */
  #failing: Map<string, boolean> | undefined

  /**
   * Add a string. Returns whether the string occurred few times so far, or has a word of failure.
   *
   * @param length - Length of the whole string if the text has only its start.
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

  get last(): string {
    return this.values[this.#last] ?? ''
  }

  /** Return the number of occurrences, or `Infinity` if there are too many values to count. */
  timesOf(value: string): number {
    return this.more ? Infinity : (this.times[this.values.indexOf(value)] ?? 0)
  }

  get mostTimes(): number {
    return this.more ? 0 : Math.max(...this.times)
  }

  /** Whether at least half of all values are this value. */
  isUsual(value: string): boolean {
    const times = this.timesOf(value)
    return times !== Infinity && times * 2 >= this.strings + this.numbers + this.words
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
    // Only the start of a long value is kept, so two values with the same start may differ.
    if (length > KEPT_UNITS && times[index]! > 0) this.more = true
    this.#last = index
    const count = ++times[index]!
    return count <= FIRST_TIMES || (count <= FIRST_FAILURES && this.#isFailing(values[index]!))
  }

  #isFailing(value: string): boolean {
    this.#failing ??= new Map()
    const known = this.#failing.get(value) ?? failureOf(value) > 0
    this.#failing.set(value, known)
    return known
  }

  removeFirst(): void {
    this.strings--
    if (--this.times[0]! > 0) return
    this.values.shift()
    this.times.shift()
    this.#last = 0
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

/** Parse a number. Returns `NaN` for other text. Numbers with up to 15 digits are parsed without creating a string. */
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
  // The result is exact, because both operands are below 2 ** 53 and a division rounds only once.
  if (value > 2 ** 53) return Number(text.slice(start, end))
  if (decimals > 0) value /= POWERS[decimals]!
  return negative ? -value : value
}

export function isSame(value: string, text: string, start: number, end: number): boolean {
  if (value.length !== end - start) return false
  // Strings with the same start usually differ near the end.
  for (let index = value.length - 1; index >= 0; index--) {
    if (value.charCodeAt(index) !== text.charCodeAt(start + index)) return false
  }
  return true
}
