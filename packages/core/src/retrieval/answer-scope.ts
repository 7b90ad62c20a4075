import { isTextContentType, PatternError } from '@spillway/text/internal'
import { parseSearchPattern, type SearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { describeProblems } from './describe-matches.ts'
import { findHits } from './find-hits.ts'
import { unitsFor } from './fit-answer.ts'
import { withContent } from './open-content.ts'
import { invalidInput } from './read-parameters.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import { referenceRequired } from './retrieval-input.ts'
import type { PatternRequest } from './retrieval-input.ts'
import { canList, listNewest, MAX_SEARCHED_BYTES, MAX_SEARCHED_ENTRIES, unlessGone } from './scope-entries.ts'
import { showHits } from './show-hits.ts'
import { writeScope } from './write-scope.ts'
import type { ScopeGroup } from './write-scope.ts'

/** What the size of an entry adds to the time of a call, as it does to that of a search of it alone. */
const MS_PER_BYTE = 20 / 1_000_000

/** All in all, a call takes at most so many times the time that a search may spend on matching. */
const MAX_DEADLINES = 5

/** Less than this part of the time is none. */
const LEAST_PART = 0.02

/** Entries whose hits fill what is kept for one answer. */
const SHARES = 8

/** Hits of one entry that are kept, at most. */
const MAX_HITS = 1_000

/** UTF-16 units of hits that each entry may have, however many there are. */
const LEAST_SHARE = 600

/** Answer a search in everything that the scope holds. */
export async function answerScope(request: PatternRequest, context: RetrievalContext): Promise<string> {
  if (!canList(context)) throw referenceRequired('pattern')
  if (request.skip > 0) {
    throw invalidInput(
      'skip needs a reference: the matches of one result are passed over. Without it, limit is for each result.',
    )
  }
  const patterns = request.patterns.map((text) => parseSearchPattern(text, request))
  const { newest, total, others } = await listNewest(context, MAX_SEARCHED_ENTRIES, true)
  const search = new ScopeSearch(request, patterns, context)
  let searched = 0
  let bytes = 0
  for (const info of newest) {
    if (searched > 0 && (bytes + info.size > MAX_SEARCHED_BYTES || search.isOver)) break
    bytes += info.size
    searched++
    await search.add(info)
  }
  const { groups, slow, isOver, binary } = search
  if (groups.length === 0 && slow !== undefined) throw slow.error
  const unsearched = total - searched
  const notes = describeProblems(patterns)
  return writeScope(
    { groups, searched: searched - binary, unsearched, binary: others + binary, slow: slow?.entries ?? 0, isOver },
    request,
    notes,
    context,
  )
}

/** Searches one entry after the other, within the time and the room of one call. */
class ScopeSearch {
  readonly groups: ScopeGroup[] = []
  /** Entries that are binary, whatever they are declared to be. */
  binary = 0
  /** Entries in which the time was spent with nothing found. */
  slow: { readonly entries: number; readonly error: PatternError } | undefined
  readonly #request: PatternRequest
  readonly #patterns: readonly SearchPattern[]
  readonly #context: RetrievalContext
  readonly #share: number
  readonly #end: number
  #room: number
  #left: number

  constructor(request: PatternRequest, patterns: readonly SearchPattern[], context: RetrievalContext) {
    this.#request = request
    this.#patterns = patterns
    this.#context = context
    const units = unitsFor(context)
    // Each entry gets a share, so that the newest does not take the place of all others.
    this.#share = context.maxTokens === Infinity ? units : units / SHARES
    this.#room = units
    this.#left = context.deadlineMs
    this.#end = performance.now() + MAX_DEADLINES * context.deadlineMs
  }

  /** Whether the time of the call is spent. */
  get isOver(): boolean {
    return this.#left < this.#context.deadlineMs * LEAST_PART || performance.now() > this.#end
  }

  /** Search an entry; one that has gone since it was listed has nothing to be found in. */
  async add(info: StoredInfo): Promise<void> {
    const begin = performance.now()
    // Half of the time that is left, so that one entry does not take that of all others.
    const deadlineMs = this.#left / 2
    const context = { ...this.#context, deadlineMs }
    try {
      await unlessGone(() =>
        withContent(context.storage, info.reference, context, (source) => this.#search(info, source, context)),
      )
    } catch (error) {
      if (!(error instanceof PatternError) || error.code !== 'timeout') throw error
      this.slow = { entries: (this.slow?.entries ?? 0) + 1, error }
    } finally {
      const spent = performance.now() - begin - info.size * MS_PER_BYTE
      // Starting a worker, and waiting for one, is no matching.
      this.#left -= Math.min(deadlineMs, Math.max(0, spent))
    }
  }

  async #search(info: StoredInfo, source: ContentSource, context: RetrievalContext): Promise<void> {
    const { limit = MAX_HITS, fromEnd, contextLines, countOnly } = this.#request
    if (!isTextContentType(source.contentType)) {
      this.binary++
      return
    }
    const kept = countOnly ? 0 : Math.min(limit, MAX_HITS)
    const selection = { range: undefined, skip: 0, limit: kept, fromEnd }
    const found = await findHits(source, this.#patterns, selection, context)
    if (found.total === 0) return
    const room = Math.max(LEAST_SHARE, Math.min(this.#room, this.#share))
    const viewing = { contextLines, limit: room, range: undefined, fromEnd, signal: context.signal }
    const views = kept === 0 ? [] : await showHits(source, found.hits, viewing)
    for (const { text } of views) this.#room -= text.length
    this.groups.push({ info, found, views })
  }
}
