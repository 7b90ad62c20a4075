import { detach } from '@spillway/text/internal'
import { ValueSummary } from './value-summary.ts'

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
