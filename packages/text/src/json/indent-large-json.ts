import { yieldWhenDue } from '../platform/yield-to-others.ts'
import { indentJson } from '../types/content-block.ts'

/** Number of values to serialize at once. 16 UTF-16 units of strings count as one value. */
const MOST_AT_ONCE = 8_192
const UNITS_OF_A_VALUE = 16
const MOST_LEVELS_AT_ONCE = 256
const PIECE_UNITS = 65_536
/** Largest depth. The text of deeper values is mostly indentation, and grows with the square of the depth. */
const MOST_LEVELS = 4_096

interface OpenValue {
  readonly value: Readonly<Record<string, unknown>>
  /** Keys of an object. Absent for an array. */
  readonly keys: readonly string[] | undefined
  readonly size: number
  readonly indent: string
  next: number
  isEmpty: boolean
}

/**
 * Serialize a JSON value like {@link indentJson}. Other work can run every few milliseconds.
 *
 * Throws a `RangeError` if the value is too deep or the text too long.
 */
export async function indentLargeJson(value: unknown): Promise<string | undefined> {
  if (weigh(value) <= MOST_AT_ONCE) return indentJson(value)
  try {
    return await new LargeJson().write(value)
  } catch (error) {
    if (error instanceof RangeError) throw error
    // The value has a cycle or a BigInt, or its own code throws.
    return undefined
  }
}

class LargeJson {
  readonly #parts: string[] = []
  readonly #open: OpenValue[] = []
  readonly #ancestors = new Set<unknown>()

  async write(value: unknown): Promise<string | undefined> {
    await this.#begin(value, '')
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      await this.#writeNext(open)
      await yieldWhenDue()
    }
    return this.#parts.join('')
  }

  async #begin(value: unknown, indent: string): Promise<void> {
    if (typeof value === 'string') return await this.#writeString(value)
    if (this.#ancestors.has(value)) throw new TypeError('The value has a cycle.')
    if (this.#open.length === MOST_LEVELS) throw new RangeError(`The value has more than ${MOST_LEVELS} levels.`)
    this.#ancestors.add(value)
    const keys = Array.isArray(value) ? undefined : Object.keys(value as object)
    const size = keys?.length ?? (value as readonly unknown[]).length
    this.#open.push({ value: value as OpenValue['value'], keys, size, indent, next: 0, isEmpty: true })
    this.#parts.push(keys === undefined ? '[' : '{')
  }

  /** Writes the next members if they are within the limit. Otherwise it starts a larger member, or ends the value. */
  async #writeNext(open: OpenValue): Promise<void> {
    const { value, keys, size, indent } = open
    const inner = `${indent}  `
    const batch: unknown[] & Record<string, unknown> = keys === undefined ? [] : Object.create(null)
    let weight = 0
    for (; open.next < size; open.next++) {
      const key = keys?.[open.next] ?? open.next
      const member = value[key]
      const added = 1 + weigh(member)
      if (weight + added > MOST_AT_ONCE) {
        if (weight > 0 || added <= MOST_AT_ONCE) break
        open.next++
        this.#parts.push(this.#separator(open, inner), keys === undefined ? '' : `${JSON.stringify(key)}: `)
        return await this.#begin(member, inner)
      }
      weight += added
      if (keys === undefined) batch.push(member)
      else batch[key] = member
    }
    // The text of members without their brackets. Strings have no line feeds.
    const members = JSON.stringify(batch, null, 2).slice(2, -2)
    if (members !== '') this.#parts.push(this.#separator(open, indent), indented(members, indent))
    if (open.next < size || weight > 0) return
    this.#parts.push(open.isEmpty ? '' : `\n${indent}`, keys === undefined ? ']' : '}')
    this.#ancestors.delete(value)
    this.#open.pop()
  }

  #separator(open: OpenValue, inner: string): string {
    const separator = `${open.isEmpty ? '' : ','}\n${inner}`
    open.isEmpty = false
    return separator
  }

  async #writeString(text: string): Promise<void> {
    this.#parts.push('"')
    for (let at = 0; at < text.length;) {
      let end = Math.min(text.length, at + PIECE_UNITS)
      // A pair of surrogates is one character, a lone one is escaped.
      if (isHighSurrogate(text, end - 1)) end++
      this.#parts.push(JSON.stringify(text.slice(at, end)).slice(1, -1))
      at = end
      await yieldWhenDue()
    }
    this.#parts.push('"')
  }
}

/** Joins the lines. The result of `replaceAll` would be a tree of strings, which is slow to read. */
const indented = (text: string, indent: string): string => (indent === '' ? text : text.split('\n').join(`\n${indent}`))

/** Counts values and units up to the limit. Too many levels count as over the limit. */
function weigh(value: unknown, limit: number = MOST_AT_ONCE, levels: number = MOST_LEVELS_AT_ONCE): number {
  if (typeof value === 'string') return 1 + value.length / UNITS_OF_A_VALUE
  if (typeof value !== 'object' || value === null || isLeaf(value)) return 1
  if (levels === 0) return Infinity
  let weight = 1
  const add = (member: unknown): void => void (weight += weigh(member, limit - weight, levels - 1))
  if (Array.isArray(value)) for (let at = 0; at < value.length && weight <= limit; at++) add(value[at])
  else
    for (const key in value) {
      if (weight > limit) break
      weight += 1 + key.length / UNITS_OF_A_VALUE
      add((value as Record<string, unknown>)[key])
    }
  return weight
}

/** Whether an object has its own serialization, or is not serialized by its properties. */
const isLeaf = (value: object): boolean =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function' ||
  ArrayBuffer.isView(value) ||
  /^\[object (?:Number|String|Boolean|BigInt)\]$/.test(Object.prototype.toString.call(value))

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800
