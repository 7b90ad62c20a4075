import { decodeJsonString, type JsonName } from './decode-json-string.ts'
import { jsonPathStep, MAX_PATH_UNITS } from './json-paths-at.ts'
import { JsonWalker, type JsonForm, type JsonVisitor } from './json-walker.ts'

const QUOTE = 34
const ARRAY = 91
const OBJECT = 123
const TRUE = 116
const FALSE = 102
const NULL = 110
const decoder = new TextDecoder()
/** Index of a value in document order; the root is 0. */
export type JsonNode = number

/** Positions of the values in the bytes, indexed by {@link JsonNode}. */
interface TapePlaces {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly nexts: Int32Array
  /** Start of a member's key; -1 for other values. */
  readonly keys: Int32Array
}

/** Positions of all values of a document, without building any value. Created by `JsonTapeReader`. */
export class JsonTape {
  readonly bytes: Uint8Array
  readonly #places: TapePlaces
  /** Whether the root is a JSON Lines document: an array without brackets. */
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

  start(node: JsonNode): number {
    return this.#places.starts[node]!
  }

  end(node: JsonNode): number {
    return this.#places.ends[node]!
  }

  next(node: JsonNode): JsonNode {
    return this.#places.nexts[node]!
  }

  isNamed(member: JsonNode, name: JsonName): boolean {
    return name.stands(this.bytes, this.#places.keys[member]!)
  }

  key(member: JsonNode): string {
    const start = this.#places.keys[member]!
    return decodeJsonString(this.bytes.subarray(start, stringEnd(this.bytes, start)))
  }

  /** Return a primitive value. A number is rounded to the nearest double. */
  scalar(node: JsonNode): string | number | boolean | null {
    const start = this.start(node)
    const first = this.bytes[start]
    if (first === TRUE) return true
    if (first === FALSE) return false
    if (first === NULL) return null
    const bytes = this.bytes.subarray(start, this.end(node))
    return first === QUOTE ? decodeJsonString(bytes) : Number(decoder.decode(bytes))
  }

  /** Format the path of a value below the root's path. A path over 1,000 characters is cut and ends with `…`. */
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

  /** Cached, since many paths may lead through a value. */
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

/** Maximum values of one document; their positions take 64 MB. */
const MAX_VALUES = 4_000_000
/** Bytes between two pauses, some milliseconds. */
const SLICE_BYTES = 262_144

interface JsonTapeRead {
  readonly tape: JsonTape
  /** Position of the first invalid JSON. Absent if all is valid. */
  readonly failedAt: number | undefined
  /** Whether the tape has only the first {@link MAX_VALUES} values. */
  readonly isFull: boolean
}

const MAX_KEPT_PLACES = 65_536

/** Reads documents from bytes in memory. A tape is only valid until the next read. */
export class JsonTapeReader implements JsonVisitor {
  readonly #form: JsonForm
  readonly #walker: JsonWalker
  #starts: Int32Array = new Int32Array(64)
  #ends: Int32Array = new Int32Array(64)
  #nexts: Int32Array = new Int32Array(64)
  #keys: Int32Array = new Int32Array(64)
  #count = 0
  readonly #open: JsonNode[] = []

  constructor(form: JsonForm = 'json') {
    this.#form = form
    this.#walker = new JsonWalker({ form, visitor: this })
  }

  get #isFull(): boolean {
    return this.#count >= MAX_VALUES
  }

  /** Read a document. Yields for other work. */
  *read(bytes: Uint8Array): Generator<undefined, JsonTapeRead> {
    this.#reset()
    const walker = this.#walker
    walker.restart()
    if (this.#form === 'json-lines') this.#add(0, -1)
    walker.take(bytes)
    for (let end = SLICE_BYTES; ; end += SLICE_BYTES) {
      walker.advance(end)
      if (end >= bytes.length || walker.hasFailed || this.#isFull) break
      yield
    }
    walker.finish()
    for (const node of this.#open) this.#close(node, walker.position)
    const places = { starts: this.#starts, ends: this.#ends, nexts: this.#nexts, keys: this.#keys }
    return {
      tape: new JsonTape(bytes, places, this.#form === 'json-lines'),
      failedAt: walker.isComplete ? undefined : walker.brokenAt,
      isFull: this.#isFull,
    }
  }

  #reset(): void {
    this.#count = 0
    this.#open.length = 0
    if (this.#starts.length <= MAX_KEPT_PLACES) return
    this.#starts = new Int32Array(64)
    this.#ends = new Int32Array(64)
    this.#nexts = new Int32Array(64)
    this.#keys = new Int32Array(64)
  }

  begin(at: number): boolean {
    if (this.#isFull) return false
    this.#add(at, this.#walker.keyStart)
    return true
  }

  end(at: number): void {
    const node = this.#open.pop()
    if (node !== undefined) this.#close(node, at)
  }

  abandon(isRecord: boolean): void {
    if (!isRecord) this.#count = this.#open[1] ?? this.#count
    while (this.#open.length > 1) this.end(this.#walker.position)
  }

  #close(node: JsonNode, end: number): void {
    this.#ends[node] = end
    this.#nexts[node] = this.#count
  }

  #add(start: number, key: number): void {
    const node = this.#count++
    if (node === this.#starts.length) {
      this.#starts = doubled(this.#starts)
      this.#ends = doubled(this.#ends)
      this.#nexts = doubled(this.#nexts)
      this.#keys = doubled(this.#keys)
    }
    this.#starts[node] = start
    this.#keys[node] = key
    this.#open.push(node)
  }
}

function doubled(values: Int32Array): Int32Array {
  const grown = new Int32Array(values.length * 2)
  grown.set(values)
  return grown
}
