import { JsonTape } from './json-tape.ts'
import type { JsonNode } from './json-tape.ts'
import { JsonWalker } from './json-walker.ts'
import type { JsonForm, JsonVisitor } from './json-walker.ts'

/** Values of one document, at most: their places need 64 MB. */
export const MAX_VALUES = 4_000_000

/** Bytes between two pauses: some milliseconds. */
const SLICE_BYTES = 262_144

/** What reading a document gave. */
export interface JsonTapeRead {
  readonly tape: JsonTape
  /** Where the document stops being JSON, in its bytes; absent where all of it is. */
  readonly failedAt: number | undefined
  /** Whether there were more than {@link MAX_VALUES}: then the tape has only the first ones. */
  readonly isFull: boolean
}

/** Places that are kept for the next document. */
const MAX_KEPT_PLACES = 65_536

/** Reads documents whose bytes are at hand, one after the other: a tape is good until the next one is read. */
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

  /** Read a document. It yields where other work may have its turn. */
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
