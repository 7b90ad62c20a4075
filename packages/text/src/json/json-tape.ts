import { decodeJsonString } from './decode-json-string.ts'
import type { JsonName } from './json-name.ts'
import { jsonPathStep, MAX_PATH_UNITS } from './json-path-step.ts'

const QUOTE = 34
const ARRAY = 91
const OBJECT = 123
const TRUE = 116
const FALSE = 102
const NULL = 110
const decoder = new TextDecoder()

/** A value by its number: a value is numbered before what it holds, in the order of the document; the root is 0. */
export type JsonNode = number

/** Places of the values of a document in its bytes, each array by the number of the value. */
export interface TapePlaces {
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** The value that comes after a value and all that it holds. */
  readonly nexts: Int32Array
  /** Where the key of a member begins; -1 for what is no member. */
  readonly keys: Int32Array
}

/**
 * Where the values of a document stand in its bytes: enough to go through them without building any. Made by
 * a `JsonTapeReader`.
 */
export class JsonTape {
  readonly bytes: Uint8Array
  readonly #places: TapePlaces
  /** Whether the root is the lines of JSON Lines: an array that has no brackets. */
  readonly #isLines: boolean
  readonly #children = new Map<JsonNode, readonly JsonNode[]>()

  constructor(bytes: Uint8Array, places: TapePlaces, isLines: boolean) {
    this.bytes = bytes
    this.#places = places
    this.#isLines = isLines
  }

  isArray(node: JsonNode): boolean {
    return (this.#isLines && node === 0) || this.bytes[this.#places.starts[node]!] === ARRAY
  }

  isObject(node: JsonNode): boolean {
    return this.bytes[this.#places.starts[node]!] === OBJECT && !(this.#isLines && node === 0)
  }

  isString(node: JsonNode): boolean {
    return this.bytes[this.#places.starts[node]!] === QUOTE
  }

  /** Where a value begins and ends in the bytes. */
  start(node: JsonNode): number {
    return this.#places.starts[node]!
  }

  end(node: JsonNode): number {
    return this.#places.ends[node]!
  }

  /** The value that comes after a value and all that it holds, whether that stands beside it or not. */
  next(node: JsonNode): JsonNode {
    return this.#places.nexts[node]!
  }

  /** Tell whether a member has this name. */
  isNamed(member: JsonNode, name: JsonName): boolean {
    return name.stands(this.bytes, this.#places.keys[member]!)
  }

  /** Return the key of a member. */
  key(member: JsonNode): string {
    const start = this.#places.keys[member]!
    return decodeJsonString(this.bytes.subarray(start, stringEnd(this.bytes, start)))
  }

  /** Return a string, a number, a boolean or `null`; of a number whose digits a double cannot hold, the nearest one. */
  scalar(node: JsonNode): string | number | boolean | null {
    const start = this.start(node)
    const first = this.bytes[start]
    if (first === TRUE) return true
    if (first === FALSE) return false
    if (first === NULL) return null
    const bytes = this.bytes.subarray(start, this.end(node))
    return first === QUOTE ? decodeJsonString(bytes) : Number(decoder.decode(bytes))
  }

  /** Write the path of a value, after the path of the root; one of over 1,000 characters ends with `…` where it is cut. */
  pathOf(node: JsonNode, root: string): string {
    let path = root
    for (let at = 0; at < node;) {
      if (path.length > MAX_PATH_UNITS) return `${path}…`
      const children = this.#childrenOf(at)
      const index = lastAtMost(children, node)
      const child = children[index]!
      path += jsonPathStep(this.isObject(at) ? this.key(child) : index)
      at = child
    }
    return path
  }

  /** Return what an array or an object holds: looked for once, as many paths may lead through it. */
  #childrenOf(node: JsonNode): readonly JsonNode[] {
    const known = this.#children.get(node)
    if (known !== undefined) return known
    const children: JsonNode[] = []
    const end = this.next(node)
    for (let child = node + 1; child < end; child = this.next(child)) children.push(child)
    this.#children.set(node, children)
    return children
  }
}

/** Find the last of ascending numbers that is at most `value`; the first one must be. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (ascending[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}

function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === 92 ? 2 : 1
  return at + 1
}
