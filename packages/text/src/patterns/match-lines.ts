import { LONG_LINE_LENGTH } from '../platform/platform.ts'
import type { ChainLink } from './search-pattern.ts'

/** Receives a match: its start and end in the text, and those of its line. */
export type TakeMatch = (start: number, end: number, lineStart: number, lineEnd: number) => void

/**
 * Find the first match of each line of `span`, and all matches of very long lines. `regex` has the flag `g` and matches
 * no LF. `text` and `span` end without the last LF.
 */
export function matchLines(
  regex: RegExp,
  text: string,
  take: TakeMatch,
  { start: first, end: last }: ByteSpan = { start: 0, end: text.length },
): void {
  for (let from = first; from <= last;) {
    regex.lastIndex = from
    const match = regex.exec(text)
    if (match === null || match.index > last) return
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

/** Count the lines and hits of {@link matchLines}, without their positions. */
export function countLines(
  regex: RegExp,
  text: string,
  { start: first, end: last }: ByteSpan = { start: 0, end: text.length },
): { readonly lines: number; readonly hits: number } {
  let lines = 0
  let hits = 0
  for (let from = first; from <= last;) {
    regex.lastIndex = from
    if (!regex.test(text) || regex.lastIndex > last) break
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

/** Find the further matches of a line, from `from` to before `until`. */
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
    // Empty matches do not count.
    if (match[0].length > 0) take(match.index, end)
    at = Math.max(end, match.index + 1)
  }
}

function endOfLine(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from)
  return lineFeed < 0 ? text.length : lineFeed
}

/** Find a chain of strings in a line, at or after `from`. Takes linear time. */
export function matchChain(line: string, chain: readonly ChainLink[], from: number): ByteSpan | undefined {
  const firsts: number[] = []
  let at = from
  for (const { text } of chain) {
    const first = line.indexOf(text, at)
    if (first < 0) return undefined
    firsts.push(first)
    at = first + text.length
  }
  // The last position of each string that leaves room for the later ones.
  const lasts: number[] = []
  let before = line.length
  for (const { text } of chain.toReversed()) {
    before = line.lastIndexOf(text, before - text.length)
    lasts.unshift(before)
  }
  let end = firsts[0]! + chain[0]!.text.length
  for (const [index, { text, isGreedy }] of chain.entries()) {
    if (index > 0) end = (isGreedy ? lasts[index]! : line.indexOf(text, end)) + text.length
  }
  return { start: firsts[0]!, end }
}

/** Find a chain in each line, and all its matches in a very long line. */
export function matchChains(
  line: string,
  chain: readonly ChainLink[],
  take: (match: ByteSpan, isLong: boolean) => void,
): void {
  const isLong = line.length > LONG_LINE_LENGTH
  let match = matchChain(line, chain, 0)
  while (match !== undefined) {
    take(match, isLong)
    match = isLong ? matchChain(line, chain, match.end) : undefined
  }
}

/** A range of bytes or UTF-16 units, without its end. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}
