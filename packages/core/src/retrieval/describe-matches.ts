import { formatCount, type LineRange } from '@spillway/text/internal'
import type { SearchPattern } from '@spillway/text/internal/patterns'
import type { FoundHits } from './find-hits.ts'
import { abridge } from './plain-text.ts'

const MAX_PATTERN_LENGTH = 50

/** How many hits there are, of which patterns. */
export type HitCounts = Pick<FoundHits, 'counts' | 'lines' | 'total'>

/** Which hits an answer shows. */
export interface ShownHits {
  readonly skip: number
  /** How many of them. */
  readonly shown: number
  readonly fromEnd: boolean
}

/** Write `/pattern/` for a header: on one line and of bounded length. */
function showPattern(pattern: string): string {
  return `/${abridge(pattern, MAX_PATTERN_LENGTH)}/`
}

/** Write `2 matches for /admin/ in lines 10-20`; of several patterns `14 lines match: 9 /ERROR/, 6 /timeout/`. */
export function describeMatches(found: HitCounts, patterns: readonly string[], range?: LineRange): string {
  const { counts, lines, total } = found
  if (patterns.length === 1) return `${countMatches(total)} for ${showPattern(patterns[0]!)}${inLines(range)}`
  const places = total > lines ? ` in ${formatCount(total)} places` : ''
  const verb = lines === 1 ? 'line matches' : 'lines match'
  return `${formatCount(lines)} ${verb}${places}${inLines(range)}: ${perPattern(counts, patterns)}`
}

/** Write which of the matches are shown: `Last 3 of 120 matches for /ERROR/`. */
export function describeSelection(
  found: HitCounts,
  patterns: readonly string[],
  { skip, shown, fromEnd }: ShownHits,
  range?: LineRange,
): string {
  const { counts, total } = found
  const of = `of ${countMatches(total)}`
  const what =
    patterns.length === 1
      ? ` for ${showPattern(patterns[0]!)}${inLines(range)}`
      : `${inLines(range)}: ${perPattern(counts, patterns)}`
  if (shown === 0) return `None left ${of}${what}`
  if (skip === 0) return `${fromEnd ? 'Last' : 'First'} ${formatCount(shown)} ${of}${what}`
  const first = fromEnd ? total - skip - shown + 1 : skip + 1
  const last = first + shown - 1
  const numbers = shown === 1 ? `Match ${formatCount(first)}` : `Matches ${formatCount(first)}-${formatCount(last)}`
  return `${numbers} of ${formatCount(total)}${what}`
}

/** Say which patterns are no valid expressions, and why. */
export function describeProblems(patterns: readonly SearchPattern[]): string[] {
  return patterns.flatMap(({ text, problem }) => {
    if (problem === undefined) return []
    const which = patterns.length === 1 ? 'The pattern' : showPattern(text)
    const where = problem.position === undefined ? '' : ` at character ${formatCount(problem.position + 1)}`
    const reason = abridge(problem.message, 120)
    return [`[${which} is not a valid regular expression (${reason}${where}), so it was searched as literal text.]`]
  })
}

/** Write `1 match` or `2 matches`. */
export function countMatches(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'match' : 'matches'}`
}

function inLines(range: LineRange | undefined): string {
  return range === undefined ? '' : ` in lines ${range.start}-${range.end}`
}

function perPattern(counts: readonly number[], patterns: readonly string[]): string {
  return patterns.map((pattern, index) => `${formatCount(counts[index]!)} ${showPattern(pattern)}`).join(', ')
}
