import { formatCount } from '@spillway/text/internal'
import { parseSearchPattern, type SearchPattern } from '@spillway/text/internal/patterns'
import { describeCount } from './describe-count.ts'
import { describeMatches, describeProblems } from './describe-matches.ts'
import { describeStop } from './describe-stop.ts'
import { findHits } from './find-hits.ts'
import type { HitSelection } from './find-hits.ts'
import { unitsFor } from './fit-answer.ts'
import { hintVariant } from './hint-variant.ts'
import { withContent } from './open-content.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { PatternRequest } from './retrieval-input.ts'
import { noteRest, writeFound } from './write-found.ts'

/** UTF-16 units that the line of a hit takes in an answer, at least: its mark, its number and the bar. */
const LEAST_UNITS_OF_A_HIT = 5

/** Hits kept where they are only counted: up to so many, the last is among them. */
const MAX_COUNTED_HITS = 2_000

/** Answer a search in one content. */
export async function answerPattern(
  request: PatternRequest & { readonly reference: string },
  context: RetrievalContext,
): Promise<string> {
  let patterns: readonly SearchPattern[] = []
  const answer = withContent(context.storage, request.reference, context, async (source) => {
    const found = await findHits(source, patterns, selectionOf(request, context), context)
    const search = { request, source, found, notes: describeProblems(patterns) }
    if (found.total > 0 && !request.countOnly) return await writeFound(search, context)
    const stop = await describeStop(source, found)
    const rest = await noteRest(search, context)
    if (found.total > 0) {
      const counts = await describeCount(source, patterns, found, context)
      return [`[${stop}${counts}]`, ...search.notes, ...rest].join('\n')
    }
    const counts = describeMatches(found, request.patterns, found.range)
    if (stop !== '') return [`[${stop}${counts}]`, ...search.notes, ...rest].join('\n')
    const searched = `searched ${formatCount(found.searched)} ${found.searched === 1 ? 'line' : 'lines'}`
    const hints = await hintVariant(request, patterns, found, source, context)
    return [`[${counts} (${searched})]`, ...search.notes, ...hints].join('\n')
  })
  // While the content is being opened.
  patterns = request.patterns.map((text) => parseSearchPattern(text, request))
  return await answer
}

/** One hit more than is shown, to know where the next is. */
function selectionOf(
  { range, skip, limit, fromEnd, countOnly }: PatternRequest,
  context: RetrievalContext,
): HitSelection {
  if (countOnly) return { range, skip: 0, limit: MAX_COUNTED_HITS, fromEnd: false }
  const most = Math.ceil(unitsFor(context) / LEAST_UNITS_OF_A_HIT)
  return { range, skip, limit: Math.min(limit ?? most, most) + 1, fromEnd }
}
