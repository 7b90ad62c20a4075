import { isTextContentType, PatternError } from '@spillway/text/internal'
import { parseSearchPattern, type SearchPattern } from '@spillway/text/internal/patterns'
import { adoptStorage } from '../content/adopt-storage.ts'
import { withTextSource, type ContentSource } from '../content/content-source.ts'
import { searchLines, type Pause } from '../search/search-lines.ts'
import { viewHits, type LineView } from '../search/view-hits.ts'
import type { OperationOptions, Storage } from '../storage/storage.ts'

const DEFAULT_DEADLINE_MS = 2_000
/** Limit of a search's total time, as a multiple of its matching time. */
const MAX_DEADLINES = 5
/** Longest line that is shown whole, in UTF-16 units. */
const SHOWN_LENGTH = 10_000
/** Approximate limit of all found lines, in UTF-16 units. */
const MAX_FOUND_LENGTH = 4_194_304
/** Size of the first batch of hits, and its growth. Very long lines may have many hits, one for each match. */
const HITS_AT_FIRST = 1_000
const GROWTH = 8

/** Options of {@link PatternSearch}. */
export interface PatternSearchOptions {
  readonly ignoreCase?: boolean | undefined
  /** Milliseconds of matching for all contents together, plus 20 for each million bytes. Defaults to 2,000. */
  readonly deadlineMs?: number | undefined
}

interface FindOptions extends OperationOptions {
  readonly limit?: number | undefined
  /** Called whenever the search waits for a worker, so that a service can serve other requests. */
  readonly pause?: Pause | undefined
}

/** A matching line. */
export interface MatchingLine {
  /** Line number, from 1. */
  readonly line: number
  /** The line without its line end. A line over 10,000 UTF-16 units is cut around the first match, marked with `…`. */
  readonly text: string
}

/** Result of a search in one content. */
export interface MatchingLines {
  readonly lines: readonly MatchingLine[]
  /** Whether these are all matching lines; `false` if the limit, the size limit, or the timeout was reached. */
  readonly isComplete: boolean
}

/**
 * Search stored contents line by line for a regular expression of a model. The time limit applies to all contents
 * together.
 *
 * An invalid expression is searched as literal text, and `problem` has the reason. After the timeout, `find` returns no
 * more lines.
 */
export class PatternSearch {
  /** The reason why the pattern is searched as literal text, without a full stop. Absent if the expression is valid. */
  readonly problem: string | undefined
  readonly #pattern: SearchPattern
  readonly #until: number
  #left: number

  /** @throws TypeError if the pattern is not a string or is empty. */
  constructor(pattern: string, { ignoreCase = false, deadlineMs = DEFAULT_DEADLINE_MS }: PatternSearchOptions = {}) {
    if (typeof pattern !== 'string' || pattern === '') throw new TypeError('pattern must be a non-empty string.')
    if (!(deadlineMs > 0)) throw new TypeError(`deadlineMs must be more than 0, got ${deadlineMs}.`)
    this.#pattern = parseSearchPattern(pattern, { ignoreCase })
    this.problem = this.#pattern.problem
    this.#left = deadlineMs
    this.#until = performance.now() + MAX_DEADLINES * deadlineMs
  }

  /** Whether the time limit is reached. */
  get isOver(): boolean {
    return this.#left <= 0 || performance.now() > this.#until
  }

  /**
   * Find up to `limit` lines of content. The encoding is detected. Binary content has no matching lines.
   *
   * Rejects like `retrieve`, and with a {@link PatternError} if the expression exceeds the engine's limits.
   */
  async find(
    storage: Storage,
    reference: string,
    { limit = Infinity, signal, pause }: FindOptions = {},
  ): Promise<MatchingLines> {
    return await withTextSource(adoptStorage(storage), reference, { signal }, (source) =>
      this.#findIn(source, limit, { signal, pause }),
    )
  }

  async #findIn(source: ContentSource, limit: number, how: Omit<FindOptions, 'limit'>): Promise<MatchingLines> {
    const lines: MatchingLine[] = []
    let length = 0
    let atOnce = HITS_AT_FIRST
    if (!isTextContentType(source.contentType)) return { lines, isComplete: true }
    for (let start = 0; start < source.size;) {
      if (lines.length >= limit || length > MAX_FOUND_LENGTH || this.isOver) return { lines, isComplete: false }
      const found = await this.#search(source, start, start === 0 ? Math.min(limit, atOnce) : atOnce, how)
      atOnce *= GROWTH
      if (found === undefined) return { lines, isComplete: false }
      const viewing = { contextLines: 0, keep: SHOWN_LENGTH, limit: MAX_FOUND_LENGTH - length, onePerLine: true }
      const { views, shown } = await viewHits(source, found.hits, viewing)
      for (const view of views) {
        if (lines.length >= limit) return { lines, isComplete: false }
        lines.push({ line: view.number, text: shownText(view) })
        length += view.text.length
      }
      if (found.total === shown) return { lines, isComplete: found.stopped === undefined }
      // Continue after the line of the last hit, because this line may have more hits.
      start = await nextLine(source, found.hits[shown - 1]!.end)
    }
    return { lines, isComplete: true }
  }

  async #search(source: ContentSource, start: number, limit: number, how: Omit<FindOptions, 'limit'>) {
    const begin = performance.now()
    const span = { start, end: source.size }
    const options = { span, skip: 0, limit, fromEnd: false, deadlineMs: this.#left, ...how }
    try {
      const found = await searchLines(source, this.#pattern, options)
      if (found.stopped !== undefined) this.#left = 0
      return found
    } catch (error) {
      if (!(error instanceof PatternError && error.code === 'timeout')) throw error
      // An engine may stop slightly before the deadline.
      this.#left = 0
      return undefined
    } finally {
      const allowed = ((source.size - start) / 1e6) * 20
      this.#left -= Math.max(0, performance.now() - begin - allowed)
    }
  }
}

function shownText({ text, bytes, start, line }: LineView): string {
  return `${start > line.start ? '… ' : ''}${text}${start + bytes.length < line.end ? ' …' : ''}`
}

async function nextLine(source: ContentSource, offset: number): Promise<number> {
  let at = offset
  for await (const block of source.blocks(offset, source.size)) {
    const lineFeed = block.indexOf(10)
    if (lineFeed >= 0) return at + lineFeed + 1
    at += block.length
  }
  return source.size
}
