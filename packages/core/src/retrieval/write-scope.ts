import { formatCount } from '@spillway/text/internal'
import type { StoredInfo } from '../storage/storage.ts'
import { callOf } from './call-of.ts'
import { countMatches, describeMatches } from './describe-matches.ts'
import type { FoundHits } from './find-hits.ts'
import { cutToFit, fitCount } from './fit-answer.ts'
import { entryHeading } from './entry-heading.ts'
import { renderLines } from './render-lines.ts'
import type { ShownLine } from './render-lines.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { PatternRequest } from './retrieval-input.ts'
import { isHit, lastWindows, wholeWindows } from './write-search.ts'

/** UTF-16 units shown of a line. */
const LINE_LENGTH = 500

/** An entry in which something was found. */
export interface ScopeGroup {
  readonly info: StoredInfo
  readonly found: Pick<FoundHits, 'counts' | 'lines' | 'total' | 'stopped' | 'part'>
  /** Hits with their context: as many as may be shown. */
  readonly views: readonly ShownLine[]
}

/** What a search of a scope found. */
export interface ScopeFindings {
  /** Newest first. */
  readonly groups: readonly ScopeGroup[]
  /** Entries searched. */
  readonly searched: number
  /** Text entries that were not, being older than those that one call searches, or than those it had time for. */
  readonly unsearched: number
  /** Entries that took too long, with nothing found in them. */
  readonly slow: number
  /** Entries that cannot be searched. */
  readonly binary: number
  /** Whether the time of the call was spent. */
  readonly isOver: boolean
}

/**
 * Write what was found in a scope, by reference: all of it, or as many lines of each as fit, or one line of as many as fit
 * and of the others their counts, or as many counts as fit.
 */
export function writeScope(
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

function writeHeader({ groups, searched }: ScopeFindings, { patterns }: PatternRequest): string {
  const counts = patterns.map((_, index) => sum(groups.map(({ found }) => found.counts[index]!)))
  const lines = sum(groups.map(({ found }) => found.lines))
  const total = sum(groups.map(({ found }) => found.total))
  const results = `${formatCount(groups.length)} of ${formatCount(searched)} stored ${searched === 1 ? 'result' : 'results'}`
  return `[${describeMatches({ counts, lines, total }, patterns)}${patterns.length === 1 ? '' : ';'} in ${results}]`
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

/** Lines needed so that every group that has views shows a hit. */
function leastLines(groups: readonly ScopeGroup[], { fromEnd }: PatternRequest): number {
  return Math.max(0, ...groups.map(({ views }) => (fromEnd ? views.toReversed() : views).findIndex(isHit) + 1))
}

function writeGroup(
  { info, found, views }: ScopeGroup,
  lines: number,
  hitsOnly: boolean,
  { patterns, fromEnd, countOnly }: PatternRequest,
): { readonly text: string; readonly whole: boolean } {
  const from = hitsOnly ? views.filter(isHit) : views
  const shown = (fromEnd ? lastWindows : wholeWindows)(from, Math.min(lines, from.length))
  const count = shown.filter(isHit).length
  const matches = patterns.length === 1 ? countMatches(found.total) : describeMatches(found, patterns)
  const showing = countOnly || count === found.total ? '' : `, ${formatCount(count)} shown`
  const part = found.stopped === undefined ? '' : `, ${Math.floor(found.part * 100)} % searched`
  const heading = `${entryHeading(info)}: ${matches}${part}${showing} ==`
  return { text: [heading, ...renderLines(shown, LINE_LENGTH)].join('\n'), whole: countOnly || count === found.total }
}

function restOf(request: PatternRequest): RetrievalCall {
  const { context_lines: _context, limit: _limit, count_only: _count, ...call } = callOf(request)
  return { ...call, reference: '<reference>' }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)
