import { yieldToEventLoop } from '#platform'
import { decodeJsonString } from './decode-json-string.ts'
import { jsonLayout, type JsonSource } from './json-form.ts'
import { JsonWalker, MAX_KEY_BYTES } from './json-walker.ts'

/** Bytes that are walked without letting other work have a turn: below 8 ms. */
const SLICE_BYTES = 524_288

const CLOSE_ARRAY = 93
const CLOSE_OBJECT = 125

/**
 * Return the JSONPath (RFC 9535) of the innermost value or member that a byte of the content lies in, such as
 * `$.items[812].note`; `undefined` where the content is no JSON there or up to there, or ends before.
 *
 * A path of over 1,000 characters is not written: that of an outer value is given then. In JSON Lines, `$[0]` is the first
 * value. The content is read from its start, in slices that let other work have a turn.
 */
export async function jsonPathAt(source: JsonSource, byteOffset: number): Promise<string | undefined> {
  const [path] = await jsonPathsAt(source, [byteOffset])
  return path
}

/** Do as {@link jsonPathAt} for several bytes, in any order, with one walk; the paths come in the order of the offsets. */
export async function jsonPathsAt(source: JsonSource, byteOffsets: readonly number[]): Promise<(string | undefined)[]> {
  const paths: (string | undefined)[] = byteOffsets.map(() => undefined)
  if (byteOffsets.length === 0) return paths
  const order = byteOffsets.map((_, index) => index).toSorted((a, b) => byteOffsets[a]! - byteOffsets[b]!)
  const targets = order.map((index) => byteOffsets[index]!)
  const { form, start, sureness } = await jsonLayout(source)
  if (sureness === 0) return paths
  const finder = new PathFinder(new JsonWalker({ form, base: start }), targets)
  walk: for await (const block of source.blocks(start)) {
    for (let from = 0; from < block.length; from += SLICE_BYTES) {
      finder.walk(block.subarray(from, from + SLICE_BYTES))
      if (finder.isDone) break walk
      await yieldToEventLoop()
    }
  }
  for (const [rank, path] of finder.paths.entries()) paths[order[rank]!] = path
  return paths
}

class PathFinder {
  readonly #walker: JsonWalker
  readonly #targets: readonly number[]
  /** Of the first targets: as many as have been reached. */
  readonly paths: (string | undefined)[]

  /** @param targets - In order. */
  constructor(walker: JsonWalker, targets: readonly number[]) {
    this.#walker = walker
    this.#targets = targets
    // What stands before the JSON is no part of it.
    this.paths = targets.filter((target) => target < walker.position).map(() => undefined)
  }

  get isDone(): boolean {
    return this.#walker.hasFailed || this.paths.length === this.#targets.length
  }

  walk(chunk: Uint8Array): void {
    const walker = this.#walker
    walker.take(chunk)
    const base = walker.position
    const end = base + chunk.length
    while (this.paths.length < this.#targets.length) {
      const target = this.#targets[this.paths.length]!
      if (target >= end) break
      const path = this.#pathAt(target, chunk[target - base]!)
      if (walker.hasFailed || walker.isInKey) return
      this.paths.push(path)
    }
    walker.advance()
  }

  /** Walk over a byte, and to the end of the key that it is in. The path is right where that end has been reached. */
  #pathAt(target: number, byte: number): string | undefined {
    const walker = this.#walker
    walker.advance(target)
    if (walker.isInString) return writePath(walker, walker.pathLevels)
    const container = walker.levels - 1
    const closes = (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && !walker.isInKey
    walker.advance(target + 1)
    walker.finishKey()
    if (walker.hasFailed || walker.isInKey) return undefined
    // The last byte of an array or an object belongs to it.
    return writePath(walker, closes ? container : walker.pathLevels)
  }
}

function writePath(walker: JsonWalker, levels: number): string {
  let path = '$'
  for (let level = 0; level < levels; level++) {
    const { index, isObject } = walker.entry(level)
    const key = isObject ? walker.key(level) : undefined
    if (key !== undefined && key.length >= MAX_KEY_BYTES) return path
    const longer = path + jsonPathStep(key === undefined ? index : decodeJsonString(key))
    if (longer.length > MAX_PATH_UNITS) return path
    path = longer
  }
  return path
}

/** UTF-16 units of a path; nobody can use a longer one. */
export const MAX_PATH_UNITS = 1_000

/** Names that stand in a path after a dot (RFC 9535, section 2.5.1.1), of those only what every reader knows as a name. */
const PLAIN_NAME = /^[A-Za-z_][\w]*$/
/** What a normalized path escapes (RFC 9535, section 2.7), and what else ends a line. */
const ESCAPED = /[\\'\0-\x1f\x7f\u0085\u2028\u2029]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
}

/** Write the step of a path to a member or an item in its shortest form: `.name`, `['a name']` or `[3]`. */
export function jsonPathStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  if (PLAIN_NAME.test(step)) return `.${step}`
  return `['${step.replace(ESCAPED, escape)}']`
}

function escape(character: string): string {
  return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
