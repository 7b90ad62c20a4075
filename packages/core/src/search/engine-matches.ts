import { PatternError, type PatternMatcher } from '@spillway/text/internal'

export type TakeLineMatch = (line: number, start: number, end: number) => void
/** Engines omit one CR before an LF, but a lone CR at the end of a line must stay. */
const LINE_END = '\r\n'
/** Overlap of two parts of a line that is too long for an engine, in UTF-16 units. */
const OVERLAP_SHARE = 4

/**
 * Match lines in an engine, and report the first match of each line. Returns the number of lines matched before the
 * deadline. Rejects like the engine, except for `timeout`.
 */
export async function engineMatches(
  engine: PatternMatcher,
  lines: readonly string[],
  take: TakeLineMatch,
  signal: AbortSignal | undefined,
): Promise<number> {
  let first = 0
  const takeAll = (found: Uint32Array): void => {
    for (let at = 0; at < found.length; at += 3) take(first + found[at]!, found[at + 1]!, found[at + 2]!)
  }
  while (first < lines.length) {
    const next = endOfBatch(lines, first, engine.maxTextLength)
    const text = `${lines.slice(first, next).join(LINE_END)}${LINE_END}`
    try {
      takeAll(
        text.length > engine.maxTextLength
          ? await matchLongLine(engine, lines[first]!, 0, signal)
          : await engine.match(text, 0, signal),
      )
    } catch (error) {
      if (!(error instanceof PatternError) || error.code !== 'timeout') throw error
      const { hits, matched } = error.progress ?? { hits: new Uint32Array(), matched: 0 }
      if (text.length > engine.maxTextLength) return first
      takeAll(hits)
      return first + countLineFeeds(text, matched)
    }
    first = next
  }
  return first
}

function endOfBatch(lines: readonly string[], first: number, maxLength: number): number {
  let length = lines[first]!.length + LINE_END.length
  let next = first + 1
  while (next < lines.length && length + lines[next]!.length + LINE_END.length <= maxLength)
    length += lines[next++]!.length + LINE_END.length
  return next
}

function countLineFeeds(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Match a line, or a part from `from` on, in overlapping parts that may miss a longer match. */
export async function matchLongLine(
  engine: PatternMatcher,
  line: string,
  from: number,
  signal: AbortSignal | undefined,
): Promise<Uint32Array> {
  const { maxTextLength } = engine
  const overlap = Math.floor(maxTextLength / OVERLAP_SHARE)
  const matches: number[] = []
  let reached = from
  for (let start = 0; ; start += maxTextLength - 2 * overlap) {
    const isLast = start + maxTextLength >= line.length
    const until = isLast ? line.length + 1 : start + maxTextLength - overlap
    const first = start === 0 ? from : Math.max(overlap, from - start)
    if (first < maxTextLength) {
      const found = await engine.match(line.slice(start, start + maxTextLength), first, signal)
      for (let at = 0; at < found.length; at += 3) {
        const begin = start + found[at + 1]!
        if (begin < reached || begin >= until) continue
        reached = start + found[at + 2]!
        matches.push(0, begin, reached)
      }
    }
    if (isLast) return Uint32Array.from(matches)
  }
}
