import { yieldToOthers } from '../platform/yield-to-others.ts'
import { unicodeEscape } from '../shared/escape-expression.ts'
import { decodeJsonString } from './decode-json-string.ts'
import { jsonLayout, type JsonSource } from './json-form.ts'
import { JsonWalker, MAX_KEY_BYTES } from './json-walker.ts'

/** Number of bytes between two yields to other callers. Walking them takes less than 8 ms. */
const SLICE_BYTES = 524_288
const CLOSE_ARRAY = 93
const CLOSE_OBJECT = 125

/**
 * Return the JSONPaths (RFC 9535) of the innermost values or members at some bytes, for example `$.items[812].note`.
 * One walk finds all paths. If the content before a byte is not JSON, the byte's path is `undefined`. If a path has
 * more than 1,000 characters, the path of an outer value is returned instead.
 */
export async function jsonPathsAt(source: JsonSource, byteOffsets: readonly number[]): Promise<(string | undefined)[]> {
  const paths: (string | undefined)[] = byteOffsets.map(() => undefined)
  if (byteOffsets.length === 0) return paths
  const order = byteOffsets.map((_, index) => index).toSorted((a, b) => byteOffsets[a]! - byteOffsets[b]!)
  const targets = order.map((index) => byteOffsets[index]!)
  const { form, start, sureness } = await jsonLayout(source)
  if (sureness === 0) return paths
  const finder = pathFinder(new JsonWalker({ form, base: start }), targets)
  walk: for await (const block of source.blocks(start)) {
    for (let from = 0; from < block.length; from += SLICE_BYTES) {
      finder.walk(block.subarray(from, from + SLICE_BYTES))
      if (finder.isDone()) break walk
      await yieldToOthers(source.caller)
    }
  }
  for (const [rank, path] of finder.paths.entries()) paths[order[rank]!] = path
  return paths
}

function pathFinder(walker: JsonWalker, targets: readonly number[]) {
  // Bytes before the JSON have no path.
  const paths: (string | undefined)[] = targets.filter((target) => target < walker.position).map(() => undefined)

  function walk(chunk: Uint8Array): void {
    walker.take(chunk)
    const base = walker.position
    const end = base + chunk.length
    while (paths.length < targets.length) {
      const target = targets[paths.length]!
      if (target >= end) break
      const path = pathAt(target, chunk[target - base]!)
      if (walker.hasFailed || walker.isInKey) return
      paths.push(path)
    }
    walker.advance()
  }

  /** Walk past a byte. If it is in a key, walk to the key's end. The path is valid only if the chunk has this end. */
  function pathAt(target: number, byte: number): string | undefined {
    walker.advance(target)
    if (walker.isInString) return writePath(walker, walker.pathLevels)
    const container = walker.levels - 1
    const closes = (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && !walker.isInKey
    walker.advance(target + 1)
    walker.finishKey()
    if (walker.hasFailed || walker.isInKey) return undefined
    // A closing bracket belongs to its array or object.
    return writePath(walker, closes ? container : walker.pathLevels)
  }

  return { isDone: () => walker.hasFailed || paths.length === targets.length, paths, walk }
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

export const MAX_PATH_UNITS = 1_000
/** Matches names that may follow a dot (RFC 9535, section 2.5.1.1), but only names in ASCII. */
const PLAIN_NAME = /^[A-Za-z_][\w]*$/
/** Characters that a normalized path escapes (RFC 9535, section 2.7), and other line ends. */
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
  return `['${step.replace(ESCAPED, (character) => ESCAPES[character] ?? unicodeEscape(character))}']`
}
