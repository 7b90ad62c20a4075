import { PatternError } from '@spillway/text/internal'
import type { SearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import type { Hit } from '../search/scanner.ts'
import { describeMatches } from './describe-matches.ts'
import { findHits } from './find-hits.ts'
import type { FoundHits } from './find-hits.ts'
import { lineOfByte } from './line-of-byte.ts'
import type { RetrievalContext } from './retrieval-context.ts'

/** Lines at the end that are searched for the last match, and how much more each time that there is none. */
const FIRST_TAIL_LINES = 1_000
const TAIL_GROWTH = 32

/** Write how many matches there are, and the lines of the first and the last. */
export async function describeCount(
  source: ContentSource,
  patterns: readonly SearchPattern[],
  found: FoundHits,
  context: RetrievalContext,
): Promise<string> {
  const texts = patterns.map(({ text }) => text)
  const counts = describeMatches(found, texts, found.range)
  const [first] = found.hits
  if (first === undefined) return counts
  const firstLine = await lineOfByte(source, first.start)
  if (found.total === 1) return `${counts}; it is in line ${firstLine}`
  const last =
    found.hits.length === found.total
      ? found.hits.at(-1)
      : await findLast(source, patterns, found, context).catch(passOverTimeout)
  const lastLine = last === undefined ? undefined : await lineOfByte(source, last.start)
  if (lastLine === undefined) return `${counts}; the first is in line ${firstLine}`
  if (lastLine === firstLine) return `${counts}; all are in line ${firstLine}`
  return `${counts}; the first is in line ${firstLine}, the last in line ${lastLine}`
}

/** Find the last of many hits from the end; `undefined` where that takes too long. */
async function findLast(
  source: ContentSource,
  patterns: readonly SearchPattern[],
  found: FoundHits,
  context: RetrievalContext,
): Promise<Hit | undefined> {
  if (found.stopped !== undefined) return undefined
  const begin = found.lastLine - found.searched + 1
  for (let lines = FIRST_TAIL_LINES; ; lines *= TAIL_GROWTH) {
    const start = Math.max(begin, found.lastLine - lines + 1)
    const selection = { range: { start, end: found.lastLine }, skip: 0, limit: 1, fromEnd: true }
    const { hits, stopped } = await findHits(source, patterns, selection, context)
    if (hits.length > 0 || stopped !== undefined || start === begin) return hits[0]
  }
}

/** The count itself is there. */
function passOverTimeout(error: unknown): undefined {
  if (error instanceof PatternError && error.code === 'timeout') return undefined
  throw error
}
