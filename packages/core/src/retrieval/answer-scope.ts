import { countOf, formatCount, PatternError } from '@spillway/text/internal'
import { parseSearchPattern, type SearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import type { StoredInfo } from '../storage/storage.ts'
import {
  countMatches,
  describeProblem,
  findHits,
  HINT_PART,
  hintVariant,
  type FoundHits,
  type PatternHint,
} from './answer-pattern.ts'
import { canList, readNewest } from './open-content.ts'
import { callOf, invalidInput, referenceRequired, type PatternRequest } from './retrieval-input.ts'
import { renderLines, type ShownLine } from './render-lines.ts'
import type { RetrievalCall, RetrievalContext } from './retrieval-tool.ts'
import { isHit, lastWindows, showHits, wholeWindows } from './show-hits.ts'
import { entryFacts, fitAnswer, unitsFor, type Answer, type AnswerPart } from './write-answer.ts'

const MS_PER_BYTE = 20 / 1_000_000
/** A call takes at most this many times the deadline of one search. */
const MAX_DEADLINES = 5
/** Another entry is searched only if this share of the time is left. */
const LEAST_PART = 0.02
/** Number of entries that can share one answer equally. */
const SHARES = 8
const MAX_HITS = 1_000
/** Number of entries in which a similar pattern is searched if the pattern matches nothing. */
const HINT_ENTRIES = 20
/** Smallest number of UTF-16 units for the hits of an entry. */
const LEAST_SHARE = 600

export async function answerScope(request: PatternRequest, context: RetrievalContext): Promise<Answer> {
  if (!canList(context)) throw referenceRequired('pattern')
  if (request.after > 0) {
    throw invalidInput('after needs a reference, because it skips matches of one result.')
  }
  const pattern = parseSearchPattern(request.pattern, request)
  const { fromEnd, contextLines, countOnly } = request
  const end = performance.now() + MAX_DEADLINES * context.deadlineMs
  const units = unitsFor(context)
  // Each entry gets a share of the budget, so that the newest entry does not use the whole budget.
  const share = context.maxTokens === Infinity ? units : units / SHARES
  const groups: ScopeGroup[] = []
  /** One error for each entry whose search timed out without a hit. */
  const timeouts: PatternError[] = []
  let room = units
  let left = context.deadlineMs
  const isOver = (): boolean => left < context.deadlineMs * LEAST_PART || performance.now() > end
  const search = async (info: StoredInfo, source: ContentSource): Promise<void> => {
    const begin = performance.now()
    // Each entry gets half of the remaining time, so that time is left for other entries.
    const deadlineMs = left / 2
    try {
      const most = countOnly ? 0 : MAX_HITS
      const selection = { range: undefined, skip: 0, limit: most, fromEnd }
      const found = await findHits(source, pattern, selection, { ...context, deadlineMs })
      if (found.total === 0) return
      const limit = Math.max(LEAST_SHARE, Math.min(room, share))
      const viewing = { contextLines, limit, range: undefined, fromEnd, signal: context.signal }
      const views = most === 0 ? [] : await showHits(source, found.hits, viewing)
      for (const { text } of views) room -= text.length
      groups.push({ info, found, views })
    } catch (error) {
      if (!(error instanceof PatternError) || error.code !== 'timeout') throw error
      timeouts.push(error)
    } finally {
      const spent = performance.now() - begin - info.size * MS_PER_BYTE
      // Time to start a worker, or to wait for a worker, is not matching time.
      left -= Math.min(deadlineMs, Math.max(0, spent))
    }
  }
  const read = await readNewest(context, () => !isOver(), search)
  if (groups.length === 0 && timeouts.length > 0) throw timeouts.at(-1)
  const findings = { ...read, groups, slow: timeouts.length, isOver: isOver() }
  const hints = groups.length === 0 && !findings.isOver ? await hintOfScope(request, pattern, context) : []
  return writeScope(findings, request, [...describeProblem(pattern, groups.length), ...hints], context)
}

/** Suggests the most likely similar pattern that matches in one of the newest entries. */
async function hintOfScope(
  request: PatternRequest,
  pattern: SearchPattern,
  context: RetrievalContext,
): Promise<string[]> {
  const end = performance.now() + context.deadlineMs * HINT_PART
  const hints: PatternHint[] = []
  let left = HINT_ENTRIES
  await readNewest(
    context,
    () => left > 0 && performance.now() < end,
    async (_, source) => {
      left--
      const whole = { span: { start: 0, end: source.size }, range: undefined }
      const hint = await hintVariant(request, pattern, whole, source, context)
      if (hint !== undefined) hints.push(hint)
    },
  )
  const [best] = hints.toSorted((one, other) => one.order - other.order)
  return best === undefined ? [] : [best.said]
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
  readonly damaged: number
  readonly isOver: boolean
}

/** Shows all hits if they fit. Otherwise, shows some lines of each entry, one line, or only the count. */
function writeScope(
  found: ScopeFindings,
  request: PatternRequest,
  notes: readonly string[],
  limit: RetrievalContext,
): Answer {
  const { groups } = found
  const missing = notSearched(found)
  const matches = groups.reduce((sum, group) => sum + group.found.total, 0)
  const results = `${formatCount(groups.length)} of ${countOf(found.searched, 'stored result')}`
  const frame = {
    header: [`${countMatches(matches)} in ${results}`, ...notes, ...missing],
    matches,
    isPartial: missing.length > 0 || groups.some((group) => group.found.stopped !== undefined),
  }
  const write = (count: number, linesOf: (index: number) => number, hitsOnly: boolean): Answer => {
    const parts = groups.slice(0, count).map((group, index) => writeGroup(group, linesOf(index), hitsOnly, request))
    const left = groups.slice(count).reduce((sum, group) => sum + group.found.total, 0)
    const older = `${countMatches(left)} in ${countOf(groups.length - count, 'older result')}`
    const isWhole = parts.every(({ whole }) => whole)
    return {
      ...frame,
      parts: parts.map(({ part }) => part),
      notes: [
        ...(left === 0 ? [] : [`Not shown: ${older}`]),
        ...(isWhole ? [] : [`More of one result: ${limit.formatCall(restOf(request))}`]),
      ],
      isPartial: frame.isPartial || left > 0 || !isWhole,
    }
  }
  const all = groups.length
  const most = Math.max(0, ...groups.map(({ views }) => views.length))
  const hitLines = Math.max(0, ...groups.map(({ views }) => views.filter(isHit).length))
  return (
    fitAnswer((lines) => write(all, () => lines, false), leastLines(groups, request), most, limit) ??
    fitAnswer((lines) => write(all, () => lines, true), 1, hitLines, limit) ??
    fitAnswer((newest) => write(all, (index) => (index < newest ? 1 : 0), true), 0, all, limit) ??
    fitAnswer((newest) => write(newest, () => 0, true), 0, all, limit) ??
    frame
  )
}

function notSearched({ unsearched, slow, binary, damaged, isOver }: ScopeFindings): string[] {
  const results = [
    [unsearched, 'older stored'],
    [slow, 'slow'],
    [binary, 'binary'],
    [damaged, 'damaged'],
  ] as const
  const left = results.filter(([count]) => count > 0)
  if (left.length === 0) return []
  const reason = isOver && unsearched > 0 ? 'The time limit was reached. ' : ''
  const list = left.map(([count, kind]) => countOf(count, `${kind} result`))
  return [`${reason}Not searched: ${list.join(', ')}`]
}

function leastLines(groups: readonly ScopeGroup[], { fromEnd }: PatternRequest): number {
  return Math.max(0, ...groups.map(({ views }) => (fromEnd ? views.toReversed() : views).findIndex(isHit) + 1))
}

function writeGroup(
  { info, found, views }: ScopeGroup,
  most: number,
  hitsOnly: boolean,
  { fromEnd, countOnly }: PatternRequest,
): { readonly part: AnswerPart; readonly whole: boolean } {
  const from = hitsOnly ? views.filter(isHit) : views
  const shown = (fromEnd ? lastWindows : wholeWindows)(from, Math.min(most, from.length))
  const count = shown.filter(isHit).length
  const showing = countOnly || count === found.total ? '' : `, ${formatCount(count)} shown`
  const part = found.stopped === undefined ? '' : `, ${Math.floor(found.part * 100)} % searched`
  const facts = `${entryFacts(info)}: ${countMatches(found.total)}${part}${showing}`
  const rendered = renderLines(shown, LINE_LENGTH)
  return { part: { reference: info.reference, facts, ...rendered }, whole: countOnly || count === found.total }
}

function restOf(request: PatternRequest): RetrievalCall {
  const { context_lines: _context, count_only: _count, ...call } = callOf(request)
  return { ...call, reference: '<reference>' }
}
