import { formatCount } from '../content/format-count.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { cutToFit, fitCount } from './fit-answer.ts'
import { abridge, oneLine } from './plain-text.ts'
import { renderLines } from './render-lines.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { PatternRequest } from './retrieval-input.ts'
import { isHit, showMatches, wholeWindows } from './write-search.ts'
import type { SearchFindings } from './write-search.ts'

/** UTF-16 units shown of a line. */
const LINE_LENGTH = 500

/** An entry in which something was found. */
export interface ScopeGroup {
  readonly info: StoredInfo
  readonly found: SearchFindings
}

/** What a search of a scope found. */
export interface ScopeFindings {
  /** Newest first. */
  readonly groups: readonly ScopeGroup[]
  /** Entries searched. */
  readonly searched: number
  /** Text entries that were not, being older than those that one call searches. */
  readonly unsearched: number
}

/** Write what was found in a scope, by reference: as many lines of each as fit, or as many headings. */
export function writeScope(
  found: ScopeFindings,
  request: PatternRequest,
  notes: readonly string[],
  limit: RetrievalContext,
): string {
  const { groups, searched, unsearched } = found
  const hits = groups.reduce((sum, group) => sum + group.found.hits, 0)
  const where = `${formatCount(groups.length)} of ${formatCount(searched)} stored ${searched === 1 ? 'result' : 'results'}`
  const older = unsearched === 0 ? [] : [`[Not searched: ${formatCount(unsearched)} older stored results]`]
  const header = [`[${showMatches(hits, request.pattern, undefined)} in ${where}]`, ...notes, ...older].join('\n')
  const write = (shown: number, lines: number, hitsOnly: boolean): string => {
    const parts = groups.slice(0, shown).map((group) => writeGroup(group, lines, hitsOnly))
    const left = groups.slice(shown).reduce((sum, group) => sum + group.found.hits, 0)
    const cut =
      left === 0
        ? []
        : [`[Not shown: ${formatCount(left)} matches in ${formatCount(groups.length - shown)} older results]`]
    const all = parts.every((part) => part.whole)
      ? []
      : [`[To see the rest of one: ${limit.formatCall(restOf(request))}]`]
    return [header, ...parts.map((part) => part.text), ...cut, ...all].join('\n\n')
  }
  const most = Math.max(0, ...groups.map((group) => group.found.views.length))
  const hitLines = Math.max(0, ...groups.map((group) => group.found.views.filter(isHit).length))
  const best =
    fitCount((lines) => write(groups.length, lines, false), leastLines(groups), most, limit) ??
    fitCount((lines) => write(groups.length, lines, true), 1, hitLines, limit) ??
    fitCount((shown) => write(shown, 1, true), 1, groups.length, limit) ??
    fitCount((shown) => write(shown, 0, true), 0, groups.length, limit)
  return best?.text ?? cutToFit(header, limit)
}

/** Lines needed so that every group that has views shows a hit. */
function leastLines(groups: readonly ScopeGroup[]): number {
  return Math.max(0, ...groups.map((group) => group.found.views.findIndex(isHit) + 1))
}

function writeGroup(
  { info, found }: ScopeGroup,
  lines: number,
  hitsOnly: boolean,
): { readonly text: string; readonly whole: boolean } {
  const views = hitsOnly ? found.views.filter(isHit) : found.views
  const shown = wholeWindows(views, Math.min(lines, views.length))
  const count = shown.filter(isHit).length
  const matches = `${formatCount(found.hits)} ${found.hits === 1 ? 'match' : 'matches'}`
  const showing = count === found.hits ? matches : `${matches}, ${formatCount(count)} shown`
  const heading = `== ${oneLine(info.reference)} (${abridge(info.contentType, 40)}, ${formatCount(info.size)} bytes): ${showing} ==`
  return { text: [heading, ...renderLines(shown, LINE_LENGTH)].join('\n'), whole: count === found.hits }
}

function restOf({ pattern, ignoreCase }: PatternRequest): RetrievalCall {
  return { reference: '<reference>', pattern, ignore_case: ignoreCase || undefined }
}
