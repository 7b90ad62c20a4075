import { findBytes } from '#platform'
import { LONG_LINE_LENGTH } from '../platform/platform.ts'

/** Receives a match: its start and end in the text, and the start and end of its line. */
export type TakeMatch = (start: number, end: number, lineStart: number, lineEnd: number) => void

/**
 * Find the first match in each line, and all matches in very long lines. `regex` is global and never matches an LF.
 * `text` does not include the last LF.
 */
export function matchLines(regex: RegExp, text: string, take: TakeMatch): void {
  for (let from = 0; from <= text.length;) {
    regex.lastIndex = from
    const match = regex.exec(text)
    if (match === null) return
    const start = match.index
    const end = start + match[0].length
    const lineEnd = endOfLine(text, end)
    const lineStart = text.lastIndexOf('\n', start - 1) + 1
    take(start, end, start === 0 ? 0 : lineStart, lineEnd)
    if (lineEnd - from > LONG_LINE_LENGTH && lineEnd - lineStart > LONG_LINE_LENGTH) {
      matchRest(regex, text, end === start ? end + 1 : end, (at, to) => take(at, to, lineStart, lineEnd), lineEnd)
    }
    from = lineEnd + 1
  }
}

export function countLines(regex: RegExp, text: string): { readonly lines: number; readonly hits: number } {
  let lines = 0
  let hits = 0
  for (let from = 0; from <= text.length;) {
    regex.lastIndex = from
    if (!regex.test(text)) break
    const end = regex.lastIndex
    const lineEnd = endOfLine(text, end)
    lines++
    hits++
    if (lineEnd - from > LONG_LINE_LENGTH && lineEnd - (text.lastIndexOf('\n', end - 1) + 1) > LONG_LINE_LENGTH)
      matchRest(regex, text, end, () => hits++, lineEnd)
    from = lineEnd + 1
  }
  return { lines, hits }
}

/** Find further matches in a line, from `from` to `until`. */
export function matchRest(
  regex: RegExp,
  text: string,
  from: number,
  take: (start: number, end: number) => void,
  until: number,
): void {
  for (let at = from; at < until;) {
    regex.lastIndex = at
    const match = regex.exec(text)
    if (match === null || match.index >= until) return
    const end = match.index + match[0].length
    // Empty matches are ignored.
    if (match[0].length > 0) take(match.index, end)
    at = Math.max(end, match.index + 1)
  }
}

function endOfLine(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from)
  return lineFeed < 0 ? text.length : lineFeed
}

/** A range of bytes or UTF-16 units. The end is excluded. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

const LINE_FEED = 10
/** Longest string for a native search. Node.js searches for longer strings slowly if the first byte is rare. */
const PROBE_BYTES = 7
/** Number of compared bytes of each string. The limit bounds the time for each byte of a hostile text. */
const COMPARED_BYTES = 32
/** Number of bytes at the start of the content in which rare bytes are found. One byte of each few is counted. */
const SAMPLE_BYTES = 16_384
const SAMPLE_STEP = 5

/** The bytes of a string from its rarest byte on (`needle`), and all bytes to compare around them. */
interface Probe {
  readonly needle: Uint8Array
  readonly before: number
  readonly compared: Uint8Array
}

/** Finds the lines that contain a string of every set. Searches for rare bytes first, and so skips most lines. */
export class RequiredStrings {
  readonly #sets: readonly (readonly Probe[])[]
  readonly #ignoreCase: boolean
  /** Number of found rare bytes in the last text that did not belong to a string. */
  misses = 0

  /**
   * @param sets - Strings without line ends and partial characters. If `ignoreCase`, they must be ASCII in lower case.
   * @param content - The start of the content. It shows which bytes are rare, and does not affect which lines are
   * found.
   */
  constructor(sets: readonly (readonly string[])[], ignoreCase: boolean, content: Uint8Array) {
    const counts = new Uint32Array(256)
    for (let at = Math.min(content.length, SAMPLE_BYTES) - 1; at >= 0; at -= SAMPLE_STEP) counts[content[at]!]!++
    const ranked = sets.map((set) => {
      const found = set.map((text) => probesOf(new TextEncoder().encode(text), counts, ignoreCase))
      return { probes: found.flatMap(({ probes }) => probes), count: found.reduce((sum, { count }) => sum + count, 0) }
    })
    this.#sets = ranked.toSorted((a, b) => a.count - b.count).map(({ probes }) => probes)
    this.#ignoreCase = ignoreCase
  }

  /** Find the lines from `start` on that contain the strings. Only the first bytes of long strings are compared. */
  lines(bytes: Uint8Array, start: number): readonly ByteSpan[] {
    const lines: ByteSpan[] = []
    this.misses = 0
    const cursors = this.#sets.map((probes) => cursorOf(bytes, probes, this.#ignoreCase, () => this.misses++))
    for (let at = start; at < bytes.length;) {
      let line: ByteSpan | undefined
      for (const cursor of cursors) {
        const found = cursor(line?.start ?? at)
        if (found < 0) return lines
        if (line === undefined) line = lineAround(bytes, found)
        else if (found > line.end) {
          // Earlier lines have no string of this set.
          at = lineAround(bytes, found).start
          line = undefined
          break
        }
      }
      if (line === undefined) continue
      lines.push(line)
      at = line.end + 1
    }
    return lines
  }
}

/** Return a function that finds the next position of any string in a set. Each position is searched only once. */
function cursorOf(bytes: Uint8Array, probes: readonly Probe[], ignoreCase: boolean, miss: () => void) {
  const nextOf = probes.map(() => -1)

  function next(from: number): number {
    let nearest = bytes.length
    for (const [index, probe] of probes.entries()) {
      if (nextOf[index]! < from) nextOf[index] = find(probe, from)
      nearest = Math.min(nearest, nextOf[index]!)
    }
    return nearest === bytes.length ? -1 : nearest
  }

  function find({ needle, before, compared }: Probe, from: number): number {
    for (let at = from + before; (at = findBytes(bytes, needle, at)) >= 0; at++) {
      const start = at - before
      let length = 0
      while (length < compared.length && byteAt(start + length) === compared[length]) length++
      if (length === compared.length) return start
      miss()
    }
    return bytes.length
  }

  function byteAt(at: number): number | undefined {
    const byte = bytes[at]
    return ignoreCase && byte !== undefined && byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
  }

  return next
}

function probesOf(
  text: Uint8Array,
  counts: Uint32Array,
  ignoreCase: boolean,
): { readonly probes: readonly Probe[]; readonly count: number } {
  const compared = text.subarray(0, COMPARED_BYTES)
  const cases = (byte: number): number[] => (ignoreCase && byte >= 0x61 && byte <= 0x7a ? [byte, byte - 0x20] : [byte])
  const countAt = (at: number): number => cases(compared[at]!).reduce((sum, byte) => sum + counts[byte]!, 0)
  let before = 0
  for (let at = 1; at < compared.length; at++) if (countAt(at) < countAt(before)) before = at
  const needles = ignoreCase
    ? cases(compared[before]!).map((byte) => Uint8Array.of(byte))
    : [compared.subarray(before, before + PROBE_BYTES)]
  return { probes: needles.map((needle) => ({ needle, before, compared })), count: countAt(before) }
}

function lineAround(bytes: Uint8Array, at: number): ByteSpan {
  const lineFeed = bytes.indexOf(LINE_FEED, at)
  const before = at === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, at - 1)
  return { start: before + 1, end: lineFeed < 0 ? bytes.length : lineFeed }
}
