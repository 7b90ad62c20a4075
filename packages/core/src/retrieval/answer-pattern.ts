import { countOf, escapeExpression, formatCount, PatternError, type LineRange } from '@spillway/text/internal'
import {
  createLinearMatcher,
  parseSearchPattern,
  type ByteSpan,
  type SearchPattern,
} from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { findLineSpan, lineOfByte } from '../search/line-finder.ts'
import { searchLines, type SearchResult } from '../search/search-lines.ts'
import { answerContent, assertText, endedLines, lineBeyondEnd, pollPause, withContent } from './open-content.ts'
import { callOf, type PatternRequest } from './retrieval-input.ts'
import type { ShownLine } from './render-lines.ts'
import type { RetrievalContext } from './retrieval-tool.ts'
import { isHit, lineOfHit, showHits, writeSearch } from './show-hits.ts'
import { abridge, textFits, unitsFor, type Answer } from './write-answer.ts'

/** Fewest UTF-16 units of a line with a hit: the mark, the number and the bar before the text. */
const LEAST_UNITS_OF_A_HIT = 5
/** Number of hits to keep while counting, so that the answer can name the line of the last hit. */
const MAX_COUNTED_HITS = 10_000

export async function answerPattern(
  request: PatternRequest & { readonly reference: string },
  context: RetrievalContext,
): Promise<Answer> {
  const pattern = parseSearchPattern(request.pattern, request)
  if (request.waitSeconds > 0) await waitForHits(request, pattern, context)
  return await answerContent(request.reference, context, {}, async (source, limited) => {
    const found = await findHits(source, pattern, selectionOf(request, context), context)
    const search = { request, source, found, notes: describeProblem(pattern, found.total) }
    const { range, waitSeconds, fromEnd } = request
    const wait = { line_range: range, after: found.total || undefined, wait_seconds: waitSeconds }
    const isWaiting = source.state === 'open' && waitSeconds > 0 && !fromEnd
    const next = isWaiting ? { call: { ...callOf(request), ...wait } } : undefined
    if (found.total > 0 && !request.countOnly) {
      const answer = await writeFound(search, limited)
      return { ...answer, rest: answer.rest ?? next }
    }
    const stop = await describeStop(source, found)
    const counts = found.total === 0 ? describeMatches(0, found.range) : await describeCount(source, found)
    const isNowhere = found.total === 0 && stop === ''
    const searched = isNowhere ? ` (searched ${countOf(found.searched, 'line')})` : ''
    const hint = isNowhere ? await hintVariant(request, pattern, found, source, context) : undefined
    const hints = hint === undefined ? [] : [hint.said]
    const header = [`${stop}${counts}${searched}`, ...search.notes, ...hints]
    return { matches: found.total, rest: (await restOf(search)) ?? next, header }
  })
}

async function waitForHits(
  { reference, range, after, waitSeconds }: PatternRequest & { readonly reference: string },
  pattern: SearchPattern,
  context: RetrievalContext,
): Promise<void> {
  const waitUntil = performance.now() + waitSeconds * 1_000
  let total = 0
  let start = range?.start ?? 1
  for (;;) {
    const isDone = await withContent(context.storage, reference, context, async (source) => {
      if (source.state !== 'open') return true
      const end = await endedLines(source)
      if (end < start) return false
      const selection = { range: { start, end }, skip: 0, limit: 1, fromEnd: false }
      total += (await findHits(source, pattern, selection, context)).total
      start = end + 1
      return total > after
    })
    if (isDone || performance.now() >= waitUntil) return
    await context.pause(pollPause(context.signal))
  }
}

/** Selects hits. One more hit than can be shown is kept, to suggest how to continue. */
function selectionOf({ range, after, fromEnd, countOnly }: PatternRequest, context: RetrievalContext): HitSelection {
  if (countOnly) return { range, skip: 0, limit: MAX_COUNTED_HITS, fromEnd: false }
  const most = Math.ceil(unitsFor(context) / LEAST_UNITS_OF_A_HIT)
  return { range, skip: after, limit: most + 1, fromEnd }
}

interface HitSelection {
  readonly range: LineRange | undefined
  readonly skip: number
  readonly limit: number
  readonly fromEnd: boolean
}

export interface FoundHits extends SearchResult {
  readonly span: ByteSpan
  readonly range: LineRange | undefined
  readonly searched: number
  readonly lastLine: number
  /** Share of the lines that was searched, from 0 to 1. */
  readonly part: number
  readonly milliseconds: number
}

/** Rejects with `timeout` if the time ended during the first line. */
export async function findHits(
  source: ContentSource,
  pattern: SearchPattern,
  { range, skip, limit, fromEnd }: HitSelection,
  { deadlineMs, signal, pause }: Pick<RetrievalContext, 'deadlineMs' | 'signal' | 'pause'>,
): Promise<FoundHits> {
  assertText(source)
  const { lines } = await source.lineIndex()
  const within = range === undefined || lines === 0 ? undefined : await findLineSpan(source, range)
  if (range !== undefined && within === undefined && lines > 0) throw await lineBeyondEnd(range, source)
  const span: ByteSpan = within ?? { start: 0, end: source.size }
  const begin = performance.now()
  const result = await searchLines(source, pattern, { span, skip, limit, fromEnd, deadlineMs, signal, pause })
  const part = span.end === span.start ? 1 : (result.searchedTo - span.start) / (span.end - span.start)
  if (result.stopped !== undefined && result.total === 0 && result.searchedTo === span.start)
    throw new PatternError('timeout', explainTimeout(pattern))
  const { start, end } = within?.range ?? { start: 1, end: lines }
  return {
    ...result,
    span,
    range: within?.range,
    searched: end - start + 1,
    lastLine: end,
    part,
    milliseconds: performance.now() - begin,
  }
}

function explainTimeout({ expression, flags }: SearchPattern): string {
  return createLinearMatcher(expression, flags) !== undefined
    ? 'The first line is too long for this pattern, and the search was stopped.'
    : 'The pattern took too long and was stopped: look-around, back-references and huge repeats can take any amount of time.'
}

interface Found {
  readonly request: PatternRequest & { readonly reference: string }
  readonly source: ContentSource
  readonly found: FoundHits
  readonly notes: readonly string[]
}

/** Length that few tokens exceed, in UTF-16 units. More text is read only if the tokens are longer. */
const USUAL_UNITS_PER_TOKEN = 5

async function writeFound(search: Found, context: RetrievalContext): Promise<Answer> {
  const { request, source, found } = search
  const { fromEnd } = request
  const { hits } = found
  const views = await viewsOf(search, hits, context)
  const inViews = views.filter(isHit).map(({ number }) => number)
  const beyond = fromEnd ? undefined : found.hits[inViews.length]
  const lines = beyond === undefined ? inViews : [...inViews, await lineOfHit(source, beyond)]
  const stop = await describeStop(source, found)
  const unsearched = await restOf(search)
  const frame = (shown: readonly ShownLine[]): Answer => {
    const isAll = found.total - request.after <= shown.length
    // A stopped search has not found the last hits.
    const rest =
      isAll || (fromEnd && unsearched !== undefined)
        ? unsearched
        : restOfHits(search, shown.at(-1)?.number, shown.length, lines[shown.length])
    return { header: [`${stop}${countsOf(search, shown.length)}`, ...search.notes], matches: found.total, rest }
  }
  return writeSearch(request, views, frame, context)
}

async function viewsOf(
  { request: { contextLines, fromEnd }, source, found }: Found,
  hits: readonly ByteSpan[],
  context: RetrievalContext,
): Promise<readonly ShownLine[]> {
  if (hits.length === 0) return []
  const most = unitsFor(context)
  const options = { contextLines, range: found.range, fromEnd, signal: context.signal }
  const views = await showHits(source, hits, {
    ...options,
    limit: Math.min(most, context.maxTokens * USUAL_UNITS_PER_TOKEN),
  })
  const isAll = views.filter(isHit).length === hits.length
  // If the tokens are longer than usual, more text fits.
  return isAll || !textFits(views.map(({ text }) => text).join('\n'), context)
    ? views
    : await showHits(source, hits, { ...options, limit: most })
}

async function restOf({ request, source, found }: Found): Promise<Answer['rest']> {
  if (found.stopped === undefined) return undefined
  // A search that timed out in the first line would time out there again, so it skips this line.
  const skipped = found.searchedTo === found.span.start ? 1 : 0
  const start = (await lineOfByte(source, found.searchedTo)) + skipped
  if (start > found.lastLine) return undefined
  const rest = { line_range: { start, end: found.lastLine }, from_end: request.fromEnd || undefined }
  return { said: 'Not all was searched.', call: { ...callOf(request), ...rest } }
}

function countsOf(search: Found, shown: number): string {
  const { after, fromEnd } = search.request
  const { total, range, lines } = search.found
  const isPart = after > 0 || (fromEnd && shown < total)
  const isTold = shown > 0 || after >= total
  return isPart && isTold ? describeSelection(search, shown) : describeMatches(total, range, lines)
}

/** Returns the call that continues at the line of the next hit. In a long line, it continues after the hits shown. */
function restOfHits(
  { request, found }: Found,
  lastLine: number | undefined,
  shown: number,
  nextLine: number | undefined,
): Answer['rest'] {
  const { after, fromEnd } = request
  const goesOn =
    !fromEnd && after === 0 && nextLine !== undefined && nextLine !== lastLine
      ? { line_range: { start: nextLine, end: found.lastLine } }
      : { line_range: found.range, after: after + shown, from_end: fromEnd || undefined }
  const said = `Shown: ${formatCount(shown)} of ${countMatches(found.total)}.`
  return { said, call: { ...callOf(request), ...goesOn } }
}

/** Describes matches, for example `2 matches in lines 10-20`. The pattern is not repeated, because the call has it. */
export function describeMatches(total: number, range?: LineRange, lines: number = total): string {
  // Progress lines that overwrite themselves, and text without line ends, have many matches on one line.
  const inFewer = lines < total ? ` in ${countOf(lines, 'line')}` : ''
  return `${countMatches(total)}${inFewer}${inLines(range)}`
}

/** Describes the shown matches, for example `Last 3 of 120 matches`. */
function describeSelection({ request, found }: Found, shown: number): string {
  const { after, fromEnd } = request
  const { total, range } = found
  const of = `of ${countMatches(total)}`
  const what = inLines(range)
  if (shown === 0) return `None left ${of}${what}`
  if (after === 0) return `${fromEnd ? 'Last' : 'First'} ${formatCount(shown)} ${of}${what}`
  const first = fromEnd ? total - after - shown + 1 : after + 1
  const last = first + shown - 1
  const numbers = shown === 1 ? `Match ${formatCount(first)}` : `Matches ${formatCount(first)}-${formatCount(last)}`
  return `${numbers} of ${formatCount(total)}${what}`
}

/** Explains why a pattern was searched as literal text, or why it matches nothing or more than its author expects. */
export function describeProblem({ text, problem = '' }: SearchPattern, total: number): string[] {
  const reason = abridge(problem, 120)
  const invalid = `The pattern is not a valid regular expression (${reason}), so it was searched as literal text.`
  const apart = 'Lines are matched one by one, so no match spans a line feed: search for one line.'
  const hasLineFeed = LINE_FEED.test(text.replaceAll(NEGATED_CLASS, ''))
  const [word] = WORD_IN_BRACKETS.exec(problem === '' && total > 0 ? text : '') ?? []
  const oneOf = word && `${word} matches any one of its characters. Its text is matched by ${escapeExpression(word)}`
  const notes = [problem && invalid, hasLineFeed && total === 0 ? apart : '', oneOf ?? '']
  return notes.filter((note) => note !== '')
}

/** Matches a class that is probably meant as text, for example `[ERROR]`. */
const WORD_IN_BRACKETS = /(?<!\\)\[\p{L}[\p{L}\d _]{3,}\](?![*+?{])/u

/** Syntax that is meant to match a line feed: `\n`, `[\s\S]`, or the flag `s`. */
const LINE_FEED = /\n|(?<!\\)(?:\\\\)*\\n|\[\\s\\S\]|\(\?[a-z]*s/
const NEGATED_CLASS = /\[\^(?:\\.|[^\]\\])*\]/g

export const countMatches = (count: number): string => countOf(count, 'match', 'matches')

function inLines(range: LineRange | undefined): string {
  return range === undefined ? '' : ` in lines ${range.start}-${range.end}`
}

/** Describes where the search was stopped. Returns an empty text if the search reached the end. */
async function describeStop(source: ContentSource, found: FoundHits): Promise<string> {
  if (found.stopped === undefined) return ''
  const line = formatCount(await lineOfByte(source, found.searchedTo))
  const of = found.range === undefined ? 'the content' : 'these lines'
  const part = Math.floor(found.part * 100)
  return `Stopped after ${duration(found.milliseconds)} at line ${line}, ${part} % of ${of}. So far: `
}

function duration(milliseconds: number): string {
  return milliseconds < 950 ? `${Math.ceil(milliseconds / 100) * 100} ms` : `${Math.round(milliseconds / 1_000)} s`
}

async function describeCount(source: ContentSource, found: FoundHits): Promise<string> {
  const counts = describeMatches(found.total, found.range, found.lines)
  const [first] = found.hits
  if (first === undefined) return counts
  const firstLine = await lineOfByte(source, first.start)
  if (found.total === 1) return `${counts}; it is in line ${firstLine}`
  const last = found.hits.length === found.total ? await lineOfByte(source, found.hits.at(-1)!.start) : undefined
  if (last === firstLine) return `${counts}; all are in line ${firstLine}`
  return `${counts}; the first is in line ${firstLine}${last === undefined ? '' : `, the last in line ${last}`}`
}

/** Ignores errors of slow or unsupported patterns, because the answer is complete without this search. */
function passOver(error: unknown): undefined {
  if (error instanceof PatternError) return undefined
  throw error
}

/** Share of a call's time for finding a hint. */
export const HINT_PART: number = 1 / 8
/** Number of bytes at the start of the content that are searched for a hint. */
const HINT_BYTES = 1_048_576

/** A similar pattern that matches. The hint with the smallest order is the most likely. */
export interface PatternHint {
  readonly order: number
  readonly said: string
}

export async function hintVariant(
  request: PatternRequest,
  pattern: SearchPattern,
  { span, range: within }: Pick<FoundHits, 'span' | 'range'>,
  source: ContentSource,
  context: RetrievalContext,
): Promise<PatternHint | undefined> {
  const start = within?.start ?? 1
  const isPart = span.end - span.start > HINT_BYTES
  const range = isPart ? { start, end: (await lineOfByte(source, span.start + HINT_BYTES)) - 1 } : within
  // The first line is longer than the part to search.
  if (range !== undefined && range.end < range.start) return undefined
  const variants = variantsOf(pattern)
  const limits = { ...context, deadlineMs: (context.deadlineMs * HINT_PART) / variants.length }
  for (const [order, { label, pattern: variant }] of variants.entries()) {
    const found = await findHits(source, variant, { range, skip: 0, limit: 0, fromEnd: false }, limits).catch(passOver)
    if (found === undefined || found.total === 0) continue
    const again = { ...request, pattern: variant.text, ignoreCase: variant.ignoreCase, countOnly: false }
    const { ignore_case, ...call } = callOf(again)
    const asked = context.formatCall({ ...call, line_range: within, ignore_case })
    const least = found.stopped === undefined ? '' : 'at least '
    const matches = describeMatches(found.total, isPart ? found.range : undefined)
    const where = request.reference === undefined ? ` in ${source.reference}` : ''
    return { order, said: `${label}: ${least}${matches}${where}. To see them: ${asked}` }
  }
  return undefined
}

interface Variant {
  readonly label: string
  readonly pattern: SearchPattern
}

/** Returns variants of a pattern, the most likely first, for example in another case, and as literal text. */
function variantsOf({ text, ignoreCase }: SearchPattern): Variant[] {
  const unmarked = text.replace(/^(["'`/])(.+)\1([dgimsuvy]*)$/, (_, _mark, inner: string, flags: string) =>
    flags.includes('i') ? `(?i)${inner}` : inner,
  )
  const unanchored = text.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')
  const words = WORDS.test(text) ? text.split(BETWEEN_WORDS).filter((word) => word !== '') : []
  const written = {
    'Without the marks around it': unmarked,
    'With any quotes': text.replace(/\\*["'`]/g, '\\\\*["\'`]'),
    'With single backslashes': text.replaceAll('\\\\', '\\'),
    'In syntax that works here': inJavaScript(text),
    'Without anchors': unanchored,
    'As literal text': escapeExpression(unanchored),
    'Without backslashes': escapeExpression(text.replaceAll('\\', '')),
    'With * for any text': escapeExpression(text).replace(/\\\*/g, '.*'),
    'With its words in one line': words.join('.*'),
    'With any of its words': words.join('|'),
  }
  const inAnyCase = { label: 'In another case', pattern: parseSearchPattern(text, { ignoreCase: true }) }
  const others = Object.entries(written)
    .filter(([, variant]) => variant !== text && variant !== '')
    .map(([label, variant]) => ({ label, pattern: parseSearchPattern(variant, { ignoreCase }) }))
    .filter(({ pattern }) => pattern.problem === undefined)
  return ignoreCase || !/\p{L}/u.test(text) ? others : [inAnyCase, ...others]
}

const WORDS = /^[^\\()[\]{}*+?^$]+$/
const BETWEEN_WORDS = /[\s,;&|"'`]+(?:(?:AND|OR)[\s"'`]+)?/

/** Replaces syntax of grep and PCRE that JavaScript does not have. The result may match more. */
function inJavaScript(text: string): string {
  const plain = text
    .replace(/\\([|(){}+?])/g, text.includes('\\|') ? '$1' : '$&')
    .replace(/\\[<>]/g, '\\b')
    .replace(/(?<!\\)([+*?}])\+|\\K|\(\?[a-z-]+\)/g, '$1')
    .replace(/\(\?(?:>|'\w+'|[a-z-]+:)/g, '(?:')
    .replace(/\\Q(.*?)(?:\\E|$)/g, (_, quoted: string) => escapeExpression(quoted))
  return /\(\?[a-z]*i/.test(text) ? `(?i)${plain}` : plain
}
