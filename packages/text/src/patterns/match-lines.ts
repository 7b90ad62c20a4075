import { LONG_LINE_LENGTH } from '../platform/platform.ts'
import type { ByteSpan } from './byte-span.ts'

/** Takes a match: where it begins and ends in the text, and where its line does. */
export type TakeMatch = (start: number, end: number, lineStart: number, lineEnd: number) => void

/**
 * Find the first match of each line of a text, and in very long lines all of them.
 *
 * @param regex - With the flag `g`. No match of it may have an LF in it.
 * @param text - Lines with LF between them, without the LF that ends the last.
 * @param span - The lines of the text that are looked at: from where the first begins to where the last ends, without its LF.
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

/** Count what {@link matchLines} would find, without looking where exactly it is. */
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
    // Nothing at all is no further match.
    if (match[0].length > 0) take(match.index, end)
    at = Math.max(end, match.index + 1)
  }
}

function endOfLine(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from)
  return lineFeed < 0 ? text.length : lineFeed
}
