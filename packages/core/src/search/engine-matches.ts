import { PatternError, type PatternMatcher } from '@spillway/text/internal'

/** Takes what an engine found: which of the lines it is in, and where in it, in UTF-16 units. */
export type TakeLineMatch = (line: number, start: number, end: number) => void

/** What ends each line: engines leave out one CR before an LF, and a lone one at the end of a line has to stay. */
const LINE_END = '\r\n'
/** UTF-16 units that two parts of a line share which an engine does not take as a whole. */
const OVERLAP_SHARE = 4

/**
 * Match lines by an engine that works elsewhere, in as few calls as it allows, and pass on the first match of each.
 *
 * Return how many of the lines were matched: fewer than all where the time was spent. Rejects as the engine does with
 * anything else than `timeout`.
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

/** Take as many lines as fit into one text, or one that does not. */
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

/**
 * Match a line, or a part of one, from `from` on; where an engine does not take it as a whole, in pieces that share some of
 * it: what is longer than that share may be missed.
 */
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
