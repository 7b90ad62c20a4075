import { yieldWhenDue } from '../platform/yield-to-others.ts'
import { isExactNumber } from './exact-json.ts'

/** Largest size of a value to serialize at once. Values count 16, and each UTF-16 unit of strings and keys counts 1. */
const MOST_AT_ONCE = 131_072
const VALUE_SIZE = 16
const MOST_LEVELS_AT_ONCE = 256
const PIECE_UNITS = 65_536
/**
 * Longest indentation for which a value is wrapped in arrays. Wrapping is faster than editing the text of the value.
 */
const MOST_WRAPPED = 32
/** Largest depth. The text of a deeper value is mostly indentation, whose length grows with the square of the depth. */
const MOST_LEVELS = 4_096

interface OpenValue {
  readonly value: Readonly<Record<string, unknown>>
  /** Keys of an object. Absent for an array. */
  readonly keys: readonly string[] | undefined
  readonly size: number
  readonly indent: string
  next: number
  separator: '' | ','
}

/**
 * Serialize a JSON value like `indentJson`, but yield to the event loop every few milliseconds. Throws a `RangeError`
 * if the value is too deep or the text too long.
 */
export async function indentLargeJson(value: unknown, caller?: unknown): Promise<string | undefined> {
  try {
    const parts = await jsonParts(value, 2, caller)
    return parts.length === 0 ? undefined : parts.join('')
  } catch (error) {
    if (error instanceof RangeError) throw error
    // The value has a cycle or a BigInt, or its `toJSON` or a getter throws.
    return undefined
  }
}

/**
 * Serialize a JSON value in parts, and yield to the event loop every few milliseconds. The joined parts equal
 * `JSON.stringify(value, null, indentation)`. There are no parts if JSON cannot express the value.
 */
export async function jsonParts(value: unknown, indentation: 0 | 2, caller?: unknown): Promise<readonly string[]> {
  if (weigh(value) > MOST_AT_ONCE) return await writeLarge(value, indentation, caller)
  const text = JSON.stringify(value, null, indentation) as string | undefined
  return text === undefined ? [] : [text]
}

async function writeLarge(value: unknown, indentation: 0 | 2, caller: unknown): Promise<readonly string[]> {
  const parts: string[] = []
  const open: OpenValue[] = []
  const ancestors = new Set<unknown>()
  const [newLine, colon] = indentation === 0 ? ['', ':'] : ['\n', ': ']
  await begin(value, '')
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    await writeNext(last)
    await yieldWhenDue(caller)
  }
  return parts

  async function begin(value: unknown, indent: string): Promise<void> {
    if (typeof value === 'string') return await writeString(value)
    if (ancestors.has(value)) throw new TypeError('The value has a cycle.')
    if (open.length === MOST_LEVELS) throw new RangeError(`The value has more than ${MOST_LEVELS} levels.`)
    ancestors.add(value)
    const keys = Array.isArray(value) ? undefined : Object.keys(value as object)
    const size = keys?.length ?? (value as readonly unknown[]).length
    open.push({ value: value as OpenValue['value'], keys, size, indent, next: 0, separator: '' })
    parts.push(keys === undefined ? '[' : '{')
  }

  /** Write the next members that fit in one batch. Open a member that is too large. After the last member, end. */
  async function writeNext(last: OpenValue): Promise<void> {
    const { value, keys, size, indent, separator } = last
    const inner = indent + ' '.repeat(indentation)
    const batch: unknown[] & Record<string, unknown> = keys === undefined ? [] : Object.create(null)
    let weight = 0
    for (; last.next < size; last.next++) {
      const key = keys?.[last.next] ?? last.next
      const member = value[key]
      const added = VALUE_SIZE + weigh(member)
      if (weight + added > MOST_AT_ONCE) {
        if (weight > 0 || added <= MOST_AT_ONCE) break
        last.next++
        last.separator = ','
        parts.push(separator, newLine + inner, keys === undefined ? '' : JSON.stringify(key) + colon)
        return await begin(member, inner)
      }
      weight += added
      if (keys === undefined) batch.push(member)
      else batch[key] = member
    }
    const members = indentation === 0 ? JSON.stringify(batch).slice(1, -1) : indentedMembers(batch, indent)
    if (members !== '') {
      parts.push(separator, members)
      last.separator = ','
    }
    if (last.next < size || weight > 0) return
    parts.push(separator === '' ? '' : newLine + indent, keys === undefined ? ']' : '}')
    ancestors.delete(value)
    open.pop()
  }

  async function writeString(text: string): Promise<void> {
    parts.push('"')
    for (let at = 0; at < text.length;) {
      let end = Math.min(text.length, at + PIECE_UNITS)
      // Do not split a surrogate pair, because lone surrogates are escaped.
      if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
      parts.push(JSON.stringify(text.slice(at, end)).slice(1, -1))
      at = end
      await yieldWhenDue(caller)
    }
    parts.push('"')
  }
}

/** Serialize an array or object without its brackets. Each line starts with a line feed and the indentation. */
function indentedMembers(value: unknown, indent: string): string {
  // `replaceAll` would return a tree of strings, which is slow to read. JSON strings contain no line feeds.
  if (indent.length > MOST_WRAPPED) return JSON.stringify(value, null, 2).slice(1, -2).split('\n').join(`\n${indent}`)
  let wrapped = value
  for (let at = 0; at < indent.length; at += 2) wrapped = [wrapped]
  const outside = (indent.length * (indent.length + 6)) / 4 + 2
  return JSON.stringify(wrapped, null, 2).slice(outside - 1, -outside)
}

/** Return the size of a value. The sum ends above the limit, and a value with too many levels is infinitely large. */
function weigh(value: unknown, limit: number = MOST_AT_ONCE, levels: number = MOST_LEVELS_AT_ONCE): number {
  if (typeof value === 'string') return VALUE_SIZE + value.length
  if (typeof value !== 'object' || value === null || isLeaf(value)) return VALUE_SIZE
  if (levels === 0) return Infinity
  let weight = VALUE_SIZE
  if (Array.isArray(value))
    for (let at = 0; at < value.length && weight <= limit; at++) weight += weigh(value[at], limit - weight, levels - 1)
  else
    for (const key in value) {
      if (weight > limit) break
      weight += VALUE_SIZE + key.length
      weight += weigh((value as Record<string, unknown>)[key], limit - weight, levels - 1)
    }
  return weight
}

/** Whether an object has its own serialization, or JSON ignores its properties. */
const isLeaf = (value: object): boolean =>
  isExactNumber(value) ||
  typeof (value as { toJSON?: unknown }).toJSON === 'function' ||
  (!isPlain(Object.getPrototypeOf(value)) &&
    (ArrayBuffer.isView(value) ||
      /^\[object (?:Number|String|Boolean|BigInt)\]$/.test(Object.prototype.toString.call(value))))

const isPlain = (prototype: unknown): boolean => prototype === Object.prototype || prototype === Array.prototype
