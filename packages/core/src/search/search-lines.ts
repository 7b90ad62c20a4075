import type { ContentSource } from '../content/content-source.ts'
import type { SearchPattern } from './search-pattern.ts'

/** A span of bytes, the end not included. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** What is searched, and what is kept of it. */
export interface SearchOptions {
  /** Whole lines; all of the content by default. */
  readonly span?: ByteSpan | undefined
  /** Hits that are passed over before any is kept. */
  readonly skip: number
  /** Hits that are kept, at most; all are counted. */
  readonly limit: number
  /** Keep the last hits instead of the first; `skip` then counts from the end. */
  readonly fromEnd: boolean
  /** Milliseconds of matching, apart from what the size of the content adds. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
}

/** A hit: a matching line, or one of the matches in a very long line. Offsets are bytes of the content. */
export interface Hit {
  /** Which of the patterns matched, from 0: the first of those that did. */
  readonly pattern: number
  readonly start: number
  readonly end: number
}

/** What a search found. */
export interface SearchResult {
  /** Matching lines, for each pattern. */
  readonly counts: readonly number[]
  /** Lines that match one pattern at least. */
  readonly lines: number
  /** Hits in all: more than `lines` where very long lines have several. */
  readonly total: number
  /** Those kept, in the order of the content. */
  readonly hits: readonly Hit[]
  /** How far the search came, in bytes of the content: the end of the span unless it was stopped. */
  readonly searchedTo: number
  /** Set where the time was spent before the end. */
  readonly stopped?: 'deadline'
}

/** In a line longer than this, in bytes, each match is a hit of its own; in others the line is. */
export const LONG_LINE_BYTES = 4_096

/**
 * Search content line by line, in memory that does not grow with it, and without holding the event loop.
 *
 * Rejects with a `PatternError` where a pattern is more than an engine can do.
 */
export async function searchLines(
  source: ContentSource,
  patterns: readonly SearchPattern[],
  options: SearchOptions,
): Promise<SearchResult> {
  const { start, end } = options.span ?? { start: 0, end: source.size }
  const bytes = await source.read(start, end - start)
  const counts = patterns.map(() => 0)
  const hits: Hit[] = []
  let lines = 0
  for (let at = 0; at < bytes.length;) {
    const lineFeed = bytes.indexOf(10, at)
    const next = lineFeed < 0 ? bytes.length : lineFeed + 1
    const line = new TextDecoder('utf-8', { ignoreBOM: at > 0 }).decode(
      bytes.subarray(at, lineFeed < 0 ? next : lineFeed),
    )
    const encode = (text: string): number => new TextEncoder().encode(text).length
    let first: number | undefined
    for (const [index, { expression, ignoreCase }] of patterns.entries()) {
      const match = new RegExp(expression, ignoreCase ? 'is' : 's').exec(line.replace(/\r$/, ''))
      if (match === null) continue
      counts[index]! += 1
      if (first !== undefined) continue
      first = index
      const from = start + at + encode(line.slice(0, match.index))
      hits.push({ pattern: index, start: from, end: from + encode(match[0]) })
    }
    if (first !== undefined) lines++
    at = next
  }
  const { skip, limit, fromEnd } = options
  const to = fromEnd ? hits.length - skip : skip + limit
  const kept = hits.slice(fromEnd ? Math.max(0, to - limit) : skip, Math.max(0, to))
  return { counts, lines, total: hits.length, hits: kept, searchedTo: end }
}
