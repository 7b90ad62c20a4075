import { findBytes } from '#platform'
import type { ByteSpan } from './byte-span.ts'

const LINE_FEED = 10

/**
 * Find the lines that have `first` and all of `others` in their bytes, without their LF.
 *
 * A line without one of the others is left for the next line that has it, so that what is rarest leads.
 *
 * @param start - Where the first line begins in `bytes`, which end where the last line does.
 */
export function linesWith(
  bytes: Uint8Array,
  start: number,
  first: Uint8Array,
  others: readonly Uint8Array[],
): readonly ByteSpan[] {
  const lines: ByteSpan[] = []
  const next = others.map(() => start - 1)
  for (let at = start; at < bytes.length;) {
    const found = findBytes(bytes, first, at)
    if (found < 0) break
    const line = lineAround(bytes, found)
    at = line.end + 1
    let hasAll = true
    for (let index = 0; index < others.length; index++) {
      if (next[index]! < line.start) {
        const place = findBytes(bytes, others[index]!, line.start)
        if (place < 0) return lines
        next[index] = place
      }
      if (next[index]! < line.end) continue
      hasAll = false
      at = Math.max(at, lineAround(bytes, next[index]!).start)
    }
    if (hasAll) lines.push(line)
  }
  return lines
}

function lineAround(bytes: Uint8Array, at: number): ByteSpan {
  const lineFeed = bytes.indexOf(LINE_FEED, at)
  const before = at === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, at - 1)
  return { start: before + 1, end: lineFeed < 0 ? bytes.length : lineFeed }
}
