import { formatCount, isTextContentType, PatternError } from '@spillway/text/internal'
import { parseSearchPattern, type SearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { countMatches, describeMatches, describeProblem, findHits, type FoundHits } from './answer-pattern.ts'
import {
  canList,
  listNewest,
  MAX_SEARCHED_BYTES,
  MAX_SEARCHED_ENTRIES,
  unlessGone,
  withContent,
} from './open-content.ts'
import { callOf, invalidInput, referenceRequired, type PatternRequest } from './retrieval-input.ts'
import type { RetrievalCall, RetrievalContext } from './retrieval-tool.ts'
import {
  abridge,
  cutToFit,
  fitCount,
  isHit,
  lastWindows,
  oneLine,
  renderLines,
  showHits,
  unitsFor,
  wholeWindows,
  type ShownLine,
} from './show-hits.ts'

const MS_PER_BYTE = 20 / 1_000_000
/** A call takes at most this many times the deadline of one search. */
const MAX_DEADLINES = 5
/** Less time than this part counts as none. */
const LEAST_PART = 0.02
/** Number of entries whose hits fill one answer. */
const SHARES = 8
const MAX_HITS = 1_000
/** UTF-16 units of hits that each entry may have in any case. */
const LEAST_SHARE = 600

export async function answerScope(request: PatternRequest, context: RetrievalContext): Promise<string> {
  if (!canList(context)) throw referenceRequired('pattern')
  if (request.after > 0) {
    throw invalidInput('after needs a reference: the matches of one result are passed over.')
  }
  const pattern = parseSearchPattern(request.pattern, request)
  const { newest, total, others } = await listNewest(context, MAX_SEARCHED_ENTRIES, true)
  const search = new ScopeSearch(request, pattern, context)
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
  const notes = describeProblem(pattern)
  return writeScope(
    { groups, searched: searched - binary, unsearched, binary: others + binary, slow: slow?.entries ?? 0, isOver },
    request,
    notes,
    context,
  )
}

class ScopeSearch {
  readonly groups: ScopeGroup[] = []
  /** Binary entries, whatever type they declare. */
  binary = 0
  /** Entries that timed out with nothing found. */
  slow: { readonly entries: number; readonly error: PatternError } | undefined
  readonly #request: PatternRequest
  readonly #pattern: SearchPattern
  readonly #context: RetrievalContext
  readonly #share: number
  readonly #end: number
  #room: number
  #left: number

  constructor(request: PatternRequest, pattern: SearchPattern, context: RetrievalContext) {
    this.#request = request
    this.#pattern = pattern
    this.#context = context
    const units = unitsFor(context)
    // Each entry gets a share, so that the newest does not displace all others.
    this.#share = context.maxTokens === Infinity ? units : units / SHARES
    this.#room = units
    this.#left = context.deadlineMs
    this.#end = performance.now() + MAX_DEADLINES * context.deadlineMs
  }

  get isOver(): boolean {
    return this.#left < this.#context.deadlineMs * LEAST_PART || performance.now() > this.#end
  }

  async add(info: StoredInfo): Promise<void> {
    const begin = performance.now()
    // Half of the remaining time, so that one entry leaves some for others.
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
      // Starting a worker, and waiting for one, is not matching.
      this.#left -= Math.min(deadlineMs, Math.max(0, spent))
    }
  }

  async #search(info: StoredInfo, source: ContentSource, context: RetrievalContext): Promise<void> {
    const { fromEnd, contextLines, countOnly } = this.#request
    if (!isTextContentType(source.contentType)) {
      this.binary++
      return
    }
    const kept = countOnly ? 0 : MAX_HITS
    const selection = { range: undefined, skip: 0, limit: kept, fromEnd }
    const found = await findHits(source, [this.#pattern], selection, context)
    if (found.total === 0) return
    const room = Math.max(LEAST_SHARE, Math.min(this.#room, this.#share))
    const viewing = { contextLines, limit: room, range: undefined, fromEnd, signal: context.signal }
    const views = kept === 0 ? [] : await showHits(source, found.hits, viewing)
    for (const { text } of views) this.#room -= text.length
    this.groups.push({ info, found, views })
  }
}

const LINE_LENGTH = 500

interface ScopeGroup {
  readonly info: StoredInfo
  readonly found: Pick<FoundHits, 'total' | 'stopped' | 'part'>
  readonly views: readonly ShownLine[]
}

interface ScopeFindings {
  readonly groups: readonly ScopeGroup[]
  readonly searched: number
  /** Text entries left out because of their age or the time limit. */
  readonly unsearched: number
  readonly slow: number
  readonly binary: number
  readonly isOver: boolean
}

/** Shows all hits, else some lines of each entry, else one line or the count of each. */
function writeScope(
  found: ScopeFindings,
  request: PatternRequest,
  notes: readonly string[],
  limit: RetrievalContext,
): string {
  const { groups } = found
  const header = [writeHeader(found, request), ...notes, ...notSearched(found)].join('\n')
  const write = (count: number, linesOf: (index: number) => number, hitsOnly: boolean): string => {
    const parts = groups.slice(0, count).map((group, index) => writeGroup(group, linesOf(index), hitsOnly, request))
    const left = groups.slice(count).reduce((sum, group) => sum + group.found.total, 0)
    const older = `${countMatches(left)} in ${formatCount(groups.length - count)} older results`
    const rest = parts.every(({ whole }) => whole)
      ? []
      : [`[To see the rest of one: ${limit.formatCall(restOf(request))}]`]
    const texts = parts.map(({ text }) => text)
    const body = request.countOnly ? [texts.join('\n')].filter((text) => text !== '') : texts
    return [header, ...body, ...(left === 0 ? [] : [`[Not shown: ${older}]`]), ...rest].join('\n\n')
  }
  const all = groups.length
  const most = Math.max(0, ...groups.map(({ views }) => views.length))
  const hitLines = Math.max(0, ...groups.map(({ views }) => views.filter(isHit).length))
  const best =
    fitCount((lines) => write(all, () => lines, false), leastLines(groups, request), most, limit) ??
    fitCount((lines) => write(all, () => lines, true), 1, hitLines, limit) ??
    fitCount((newest) => write(all, (index) => (index < newest ? 1 : 0), true), 0, all, limit) ??
    fitCount((newest) => write(newest, () => 0, true), 0, all, limit)
  return best?.text ?? cutToFit(header, limit)
}

function writeHeader({ groups, searched }: ScopeFindings, { pattern }: PatternRequest): string {
  const total = groups.reduce((sum, { found }) => sum + found.total, 0)
  const results = `${formatCount(groups.length)} of ${formatCount(searched)} stored ${searched === 1 ? 'result' : 'results'}`
  return `[${describeMatches(total, pattern)} in ${results}]`
}

function notSearched({ unsearched, slow, binary, isOver }: ScopeFindings): string[] {
  const results = [
    [unsearched, 'older stored'],
    [slow, 'slow'],
    [binary, 'binary'],
  ] as const
  const left = results.filter(([count]) => count > 0)
  if (left.length === 0) return []
  const reason = isOver && unsearched > 0 ? 'The time is up. ' : ''
  const list = left.map(([count, kind]) => `${formatCount(count)} ${kind} ${count === 1 ? 'result' : 'results'}`)
  return [`[${reason}Not searched: ${list.join(', ')}]`]
}

function leastLines(groups: readonly ScopeGroup[], { fromEnd }: PatternRequest): number {
  return Math.max(0, ...groups.map(({ views }) => (fromEnd ? views.toReversed() : views).findIndex(isHit) + 1))
}

function writeGroup(
  { info, found, views }: ScopeGroup,
  lines: number,
  hitsOnly: boolean,
  { fromEnd, countOnly }: PatternRequest,
): { readonly text: string; readonly whole: boolean } {
  const from = hitsOnly ? views.filter(isHit) : views
  const shown = (fromEnd ? lastWindows : wholeWindows)(from, Math.min(lines, from.length))
  const count = shown.filter(isHit).length
  const showing = countOnly || count === found.total ? '' : `, ${formatCount(count)} shown`
  const part = found.stopped === undefined ? '' : `, ${Math.floor(found.part * 100)} % searched`
  const heading = `${entryHeading(info)}: ${countMatches(found.total)}${part}${showing} ==`
  return { text: [heading, ...renderLines(shown, LINE_LENGTH)].join('\n'), whole: countOnly || count === found.total }
}

function restOf(request: PatternRequest): RetrievalCall {
  const { context_lines: _context, count_only: _count, ...call } = callOf(request)
  return { ...call, reference: '<reference>' }
}

const UNITS = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** For example `== call_1_0_… (read_log, text/plain, 20 bytes, 3 min ago)`. */
export function entryHeading(info: StoredInfo, now: number = Date.now()): string {
  return `== ${oneLine(info.reference)} (${describeEntry(info, now)})`
}

function describeEntry({ contentType, size, storedAt, metadata }: StoredInfo, now: number = Date.now()): string {
  const tool = (metadata as StoredInfo['metadata'] | undefined)?.['tool']
  const facts = [abridge(contentType, 40), `${formatCount(size)} bytes`, ...ageOf(now - storedAt)]
  return (typeof tool === 'string' && tool !== '' ? [abridge(tool, 40), ...facts] : facts).join(', ')
}

/** Shown from one minute on. */
function ageOf(milliseconds: number): string[] {
  const unit = UNITS.find(([, length]) => milliseconds >= length)
  return unit === undefined ? [] : [`${formatCount(Math.floor(milliseconds / unit[1]))} ${unit[0]} ago`]
}
