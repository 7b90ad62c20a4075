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

/** Read a document whose bytes are at hand. It yields where other work may have its turn. */
export function* readJsonTape(bytes: Uint8Array, form: JsonForm = 'json'): Generator<undefined, JsonTapeRead> {
  const builder = new TapeBuilder(form === 'json-lines')
  const walker = new JsonWalker({ form, visitor: builder })
  builder.walker = walker
  walker.take(bytes)
  for (let end = SLICE_BYTES; ; end += SLICE_BYTES) {
    walker.advance(end)
    if (end >= bytes.length || walker.hasFailed || builder.isFull) break
    yield
  }
  walker.finish()
  const failedAt = walker.isComplete ? undefined : walker.position
  return { tape: builder.finish(bytes, walker.position), failedAt, isFull: builder.isFull }
}

class TapeBuilder implements JsonVisitor {
  walker: JsonWalker | undefined
  readonly #isLines: boolean
  #starts: Int32Array = new Int32Array(32)
  #ends: Int32Array = new Int32Array(32)
  #nexts: Int32Array = new Int32Array(32)
  #keys: Int32Array = new Int32Array(32)
  #count = 0
  readonly #open: JsonNode[] = []

  constructor(isLines: boolean) {
    this.#isLines = isLines
    if (isLines) this.#add(0, -1)
  }

  get isFull(): boolean {
    return this.#count >= MAX_VALUES
  }

  begin(at: number): boolean {
    if (this.isFull) return false
    this.#add(at, this.walker!.keyStart)
    return true
  }

  end(at: number): void {
    const node = this.#open.pop()
    if (node !== undefined) this.#close(node, at)
  }

  finish(bytes: Uint8Array, end: number): JsonTape {
    for (const node of this.#open) this.#close(node, end)
    const places = {
      starts: this.#starts,
      ends: this.#ends,
      nexts: this.#nexts,
      keys: this.#keys,
      count: this.#count,
    }
    return new JsonTape(bytes, places, this.#isLines)
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
