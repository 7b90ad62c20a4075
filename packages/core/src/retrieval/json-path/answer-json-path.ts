import { closestNames, countOf, formatCount, unicodeEscape } from '@spillway/text/internal'
import { isBracket, jsonLayout, type JsonLayout } from '@spillway/text/internal/json'
import { MAX_TESTED_BYTES, PathTooLarge, type Segment } from '@spillway/text/internal/json-path'
import type { ContentSource } from '../../content/content-source.ts'
import { WorkClock, WorkTimeout } from '../../search/work-clock.ts'
import { assertText, answerContent } from '../open-content.ts'
import { RetrievalError, type AnswerLimit, type RetrievalContext } from '../retrieval-tool.ts'
import { fitAnswer, oneLine, quote, shownType, unitsFor, withoutResults, type Answer } from '../write-answer.ts'
import {
  describeShape,
  examplePath,
  kindOf,
  pathWithin,
  readJsonPath,
  readShape,
  type JsonShape,
  type ReadPath,
} from './json-shape.ts'
import { selectJson, type SelectedValue, type Selection } from './select-json.ts'

const MS_PER_MILLION_BYTES = 60
const LEAST_UNITS_OF_A_RESULT = 8

/** Throws `too-large` if the path tests a value of more than 16 MiB. */
export async function answerJsonPath(request: JsonPathRequest, context: RetrievalContext): Promise<Answer> {
  return await answerContent(request.reference, context, {}, async (source, limited) => {
    assertText(source)
    const deadlineMs = context.deadlineMs + (source.size / 1e6) * MS_PER_MILLION_BYTES
    const clock = new WorkClock(deadlineMs, context.signal, context.storage.caller)
    const layout = await jsonLayout(source)
    const path = await readJsonPath(request.path, source, layout, clock)
    try {
      return await writeSelected({ request, path, source, layout, clock, context: limited })
    } catch (error) {
      throw explainFailure(error, path)
    }
  })
}

function explainFailure(error: unknown, { text }: ReadPath): unknown {
  if (error instanceof WorkTimeout) return tookTooLong(text)
  if (!(error instanceof PathTooLarge)) return error
  const message = `${quotePath(text)} needs too many arrays or levels at once. Start from a narrower path.`
  return new RetrievalError('too-large', message)
}

function tookTooLong(path: string): RetrievalError {
  const message = `${quotePath(path)} took longer than its time limit. Start from a narrower path, with names and indexes before any filter or "..".`
  return new RetrievalError('pattern-timeout', message)
}

interface PathQuestion {
  readonly request: JsonPathRequest
  readonly path: ReadPath
  readonly source: ContentSource
  readonly layout: JsonLayout
  readonly clock: WorkClock
  readonly context: RetrievalContext
}

async function writeSelected(question: PathQuestion): Promise<Answer> {
  const { request, path, source, layout, clock, context } = question
  const { countOnly, after } = request
  const most = Math.ceil(unitsFor(context) / LEAST_UNITS_OF_A_RESULT)
  const keep = countOnly ? 0 : most
  const options = { layout, skip: after, keep, enough: Infinity, clock }
  const selection = await selectJson(source, path, options)
  const { count, values, ended } = selection
  const isLone = ended.by === 'failure' && !isBracket((await source.read(layout.start, 1))[0])
  if (count === 0 || isLone) return await writeNothing(question, selection)
  const { reference } = request
  const counted = {
    header: [describeSelection(selection, request), ...notesOf(question, selection)],
    matches: count,
    isPartial: ended.by !== 'all',
  }
  if (countOnly || count <= after || keep === 0) return counted
  const views = await readResults(source, values, unitsFor(context), clock)
  const frame = (shown: number, cut?: { readonly next: number; readonly end: number }): Answer => {
    const more = restOf(question, after + shown, selection)
    const value = cut && { said: 'Cut.', call: { reference, byte_range: { start: cut.next + 1, end: cut.end } } }
    if (more === undefined || value === undefined) return { ...counted, rest: more ?? value }
    return { ...counted, notes: [`Cut. The rest of it: ${context.formatCall(value.call)}`], rest: more }
  }
  return writeResults(reference, views, frame, context)
}

function restOf({ request, path }: PathQuestion, next: number, { count, ended }: Selection): Answer['rest'] {
  const { reference, after } = request
  if (next >= count) return undefined
  const all = ended.by === 'all' || ended.by === 'failure' ? ` of ${formatCount(count)}` : ''
  const said = `Shown: results ${formatCount(after + 1)}-${formatCount(next)}${all}.`
  return { said, call: { reference, json_path: path.text, after: next } }
}

function notesOf({ path, source, layout }: PathQuestion, { ended, skippedLines, brokenAt }: Selection): string[] {
  const notes: string[] = []
  if (layout.form === 'json-lines')
    notes.push('This content is JSON Lines: $[0] is its first value, $[*].name the name of each.')
  if (path.testsExistence)
    notes.push('A filter such as ?@.key tests only that the key exists, even for false or null: compare with == true.')
  if (skippedLines > 0) {
    const lines = countOf(skippedLines, 'line is', 'lines are')
    notes.push(`${lines} not whole JSON, and searched only up to the first error.`)
  }
  if (brokenAt !== undefined)
    notes.push(
      `Some tested values are not JSON, the first at byte ${formatCount(brokenAt + 1)}: search them by a pattern.`,
    )
  if (ended.by === 'failure') notes.push(sayFailure(source, ended.at))
  if (ended.by === 'timeout') {
    const share = Math.floor((ended.at / source.size) * 100)
    notes.push(
      `The time limit was reached at ${share} % of the content: there may be more. A narrower path may find it.`,
    )
  }
  if (ended.by === 'too-large') notes.push('A value is too large for a filter: there may be more.')
  return notes
}

function sayFailure({ size }: ContentSource, at: number): string {
  return at >= size
    ? 'The JSON breaks off at the end of the content.'
    : `The content stops being JSON at byte ${formatCount(at + 1)}, and was read no further.`
}

async function writeNothing(question: PathQuestion, selection: Selection): Promise<Answer> {
  const { path, source, layout } = question
  const { ended } = selection
  const { reference } = source
  if (ended.by === 'failure') throw notJson(question, selection.count === 0 ? ended.at : layout.start)
  if (ended.by === 'timeout') throw tookTooLong(path.text)
  if (ended.by === 'too-large') throw await tooLarge(question, ended.path)
  const header = [`0 results for ${quotePath(path.text)}`, ...notesOf(question, selection)]
  const remarks = await explainNothing(question)
  return { header, matches: 0, parts: [{ reference, remarks }] }
}

function notJson({ source, layout }: PathQuestion, at: number): RetrievalError {
  const { contentType, size, reference } = source
  const what = `This content (${shownType(contentType)}, ${countOf(size, 'byte')})`
  const message =
    at - layout.start < 3
      ? `${what} is not JSON. Search it by a pattern, or read its lines:`
      : `${what} is not complete JSON, and nothing was found before the fault. ${sayFailure(source, at)} Search it by a pattern, or read its lines:`
  return new RetrievalError('not-json', message, { call: { reference, line_range: { start: 1, end: 50 } } })
}

async function tooLarge(
  { request, path: { text }, source, layout, clock }: PathQuestion,
  path: string,
): Promise<RetrievalError> {
  const example = await examplePath(source, layout, clock)
  const isRoot = path === '$'
  const message =
    `${quotePath(text)} must test ${isRoot ? 'the whole content' : 'a value in it'}, which is possible up to ` +
    `${formatCount(MAX_TESTED_BYTES)} bytes. Names, indexes, slices, [*], and .. work at any size: begin with them.`
  const remarks = isRoot ? [] : [`The value is ${quotePath(path)}.`]
  const call = { reference: request.reference, json_path: example }
  return new RetrievalError('too-large', message, { stored: { remarks, call } })
}

/** Describes the selection. Each result has its own path, so the path of the call is not repeated. */
function describeSelection({ count }: Selection, { after }: JsonPathRequest): string {
  const results = countOf(count, 'result')
  return count <= after ? `${results}: none is left after the first ${formatCount(after)}` : results
}

const MAX_COMPARED_UNITS = 60
const SHOWN_UNITS = 160

/** Explains an empty selection with stored text, or returns nothing if explaining takes too long. */
async function explainNothing(question: PathQuestion): Promise<string[]> {
  const { path, source, layout, clock, context } = question
  const { segments } = path
  try {
    let found: SelectedValue = { path: '$', start: layout.start, end: source.size }
    let reached = 0
    for (; reached < segments.length; reached++) {
      const part = { ...path, segments: segments.slice(0, reached + 1) }
      const [value] = (await selectJson(source, part, { layout, skip: 0, keep: 1, enough: 1, clock })).values
      if (value === undefined) break
      found = value
    }
    const isRoot = found.path === '$' && reached === 0
    const shape = await readShape(source, isRoot ? { ...found, form: layout.form } : found, clock)
    const missing = segments[reached]
    if (shape === undefined || missing === undefined) return []
    const notes = [`${quotePath(found.path)} is ${describeShape(shape)}.${explain(missing, shape, path.text)}`]
    const elsewhere = await findElsewhere(question, missing)
    if (elsewhere !== undefined) {
      const call = context.formatCall({ reference: source.reference, json_path: elsewhere })
      return [...notes, `This key exists elsewhere: ${call}`]
    }
    const example = pathWithin(found.path, shape)
    const call = context.formatCall({ reference: source.reference, json_path: example })
    return example === found.path ? notes : [...notes, `For example: ${call}`]
  } catch (error) {
    if (error instanceof WorkTimeout) return []
    throw error
  }
}

async function findElsewhere(
  { source, layout, clock }: PathQuestion,
  { descends, selectors }: Segment,
): Promise<string | undefined> {
  if (descends || selectors.length !== 1 || selectors[0]?.type !== 'name') return undefined
  const anywhere = { segments: [{ descends: true, selectors }], asksRoot: false, testsExistence: false }
  const found = await selectJson(source, anywhere, { layout, skip: 0, keep: 1, enough: 1, clock })
  const path = found.values[0]?.path
  return path?.endsWith('…') === true ? undefined : path
}

/** A comparison with a number in quotes. */
const NUMBER_AS_TEXT = /[=<>]\s*(["'])-?\d+(?:\.\d+)?\1/

function explain({ descends, selectors }: Segment, shape: JsonShape, path: string): string {
  const [selector] = selectors
  if (selector === undefined || selectors.length > 1) return ''
  if (selector.type === 'filter') {
    const types = NUMBER_AS_TEXT.test(path) ? ' A number in quotes never equals a number.' : ''
    return ` Nothing ${descends ? 'within' : 'directly in'} it passes the filter.${types}`
  }
  if (selector.type !== 'name') return ''
  const name = quote(selector.name.text, MAX_COMPARED_UNITS)
  if (shape.kind === 'string')
    return ` It has no key ${name}. With json_path $, sql reads JSON inside a text: SELECT value FROM t, json_each(t.column, '$.key').`
  if (descends) return ` Nothing within it has the key ${name}.`
  if (shape.kind === 'array')
    return ` The items of an array are selected by [0], [*] or a filter, and then .${selector.name.text}.`.slice(
      0,
      SHOWN_UNITS,
    )
  const [similar] = closestNames(selector.name.text, shape.keys, 1)
  return similar === undefined ? ` It has no key ${name}.` : ` It has no key ${name}, but ${quote(similar)}.`
}

function quotePath(path: string): string {
  const shown = oneLine(path)
  return shown.length > SHOWN_UNITS ? `${shown.slice(0, SHOWN_UNITS).toWellFormed()}…` : shown
}

export interface JsonPathRequest {
  readonly mode: 'json-path'
  readonly reference: string
  /** A JSONPath expression (RFC 9535). */
  readonly path: string
  readonly after: number
  readonly countOnly: boolean
}

/** Once the answer is full, only this many UTF-16 units of each value are read. */
const LEAST_READ = 1_000
const LEAST_SHOWN = 40
/** Number of values whose items are counted, because counting reads the whole value. */
const MAX_DESCRIBED = 4
const MAX_SHOWN_BYTES = 4 * 1_048_576

interface ResultView {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly json: string
  readonly isWhole: boolean
  readonly summary: string
  readonly partPath: string
}

/** Reads whole values until the answer is full, and then only their starts. */
async function readResults(
  source: ContentSource,
  values: readonly SelectedValue[],
  maxUnits: number,
  clock: WorkClock,
): Promise<readonly ResultView[]> {
  const views: ResultView[] = []
  let least = 0
  let read = 0
  let described = 0
  for (const value of values) {
    const isLarge = value.end - value.start > maxUnits / 4
    const maxBytes = read > maxUnits ? LEAST_READ : maxUnits * 2
    const view = await readResult(source, value, { maxBytes, isDescribed: isLarge && described < MAX_DESCRIBED }, clock)
    if (isLarge) described++
    views.push(view)
    read += view.json.length
    least += view.path.length + Math.min(view.json.length, LEAST_SHOWN)
    if (least > maxUnits) break
  }
  return views
}

async function readResult(
  source: ContentSource,
  value: SelectedValue,
  { maxBytes, isDescribed }: { readonly maxBytes: number; readonly isDescribed: boolean },
  clock: WorkClock,
): Promise<ResultView> {
  const { path, start, end } = value
  const kept = Math.min(end - start, MAX_SHOWN_BYTES, maxBytes)
  const bytes = await source.read(start, kept)
  if (clock.needsPause) await clock.turn()
  const size = countOf(end - start, 'byte')
  const shape = isDescribed ? await readShape(source, value, clock) : undefined
  return {
    path,
    start,
    end,
    json: new TextDecoder().decode(bytes, { stream: true }),
    isWhole: kept === end - start,
    summary: `${shape === undefined ? kindOf(bytes[0] ?? 0) : describeShape(shape)}; ${size}`,
    partPath: shape === undefined ? path : partWithin(path, shape),
  }
}

function partWithin(path: string, shape: Parameters<typeof pathWithin>[1]): string {
  return shape.kind === 'array' && shape.count > 0 ? `${path}[0:10]` : pathWithin(path, shape)
}

/** Writes the rest of the answer, for the number of shown results and the bytes of the result that was cut. */
type ResultFrame = (shown: number, cut?: { readonly next: number; readonly end: number }) => Answer

/** Writes whole results that fit. If none fits, writes the start of the first result. */
function writeResults(reference: string, views: readonly ResultView[], frame: ResultFrame, limit: AnswerLimit): Answer {
  const partOf = ({ path, partPath }: ResultView): string[] =>
    path.endsWith('…') || partPath === path
      ? []
      : [`[To see a part of it: ${limit.formatCall({ reference, json_path: partPath })}]`]
  const write = (count: number, maxUnits: number): Answer => {
    const shown = views.slice(0, count).map((view) => ({ view, ...renderResult(view, maxUnits) }))
    const cut = shown.find(({ next }) => next !== undefined)
    const lines = shown.flatMap(({ text, view, next }) => (next === undefined ? [text] : [text, ...partOf(view)]))
    return { ...frame(count, cut && { end: cut.view.end, next: cut.next! }), parts: [{ reference, lines }] }
  }
  const firstCut = views.findIndex((view) => !view.isWhole)
  const whole = fitAnswer((count) => write(count, Infinity), 1, firstCut < 0 ? views.length : firstCut, limit)
  if (whole !== undefined) return whole
  const most = Math.min(renderResult(views[0]!, Infinity).text.length, MAX_SHOWN_BYTES)
  return fitAnswer((units) => write(1, units), 1, most, limit) ?? withoutResults(frame(0))
}

/** Renders a result. `next` is the byte of the content at which the missing part starts. */
function renderResult(
  { path, start, json, isWhole, summary }: ResultView,
  maxUnits: number,
): { readonly text: string; readonly next?: number } {
  const { text, isCut, taken } = compactJson(json, maxUnits)
  if (isWhole && !isCut) return { text: `${path}: ${text}` }
  const next = start + new TextEncoder().encode(json.slice(0, taken)).length
  return { text: `${path} (${summary}): ${text} … [cut]`, next }
}

const TOKEN =
  /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|'[^'\\]*(?:\\[\s\S][^'\\]*)*'?|[{}[\],:]|[^\s{}[\],:"]+(?:[ \t]+[^\s{}[\],:"]+)*/g
/** Line ends and terminal controls. In valid JSON, strings contain only the last three unescaped. */
const BREAKING = /[\0-\x1f\x7f\u0085\u2028\u2029]/g
interface FormattedJson {
  readonly text: string
  readonly isCut: boolean
  /** Number of UTF-16 units of the JSON that `text` shows. */
  readonly taken: number
}

/** Write JSON on one line, with numbers and strings as written. A text over `maxUnits` is cut. */
export function compactJson(json: string, maxUnits: number): FormattedJson {
  const parts: string[] = []
  let units = 0
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    // Strings of Python and JavaScript may be in single quotes.
    const isString = /^["']/.test(token)
    const part = isString
      ? token.replace(BREAKING, unicodeEscape)
      : token === ':' || token === ','
        ? `${token} `
        : token
    parts.push(part)
    units += part.length
    if (units <= maxUnits) continue
    const before = parts.slice(0, -1).join('')
    const { text, taken } = isString ? cutString(token, maxUnits - before.length) : { text: '', taken: 0 }
    return { text: before + text, isCut: true, taken: index + taken }
  }
  return { text: parts.join(''), isCut: false, taken: json.length }
}

function cutString(token: string, maxUnits: number): { readonly text: string; readonly taken: number } {
  let text = ''
  let taken = 0
  for (const character of token.slice(0, maxUnits + 1)) {
    const part = character.replace(BREAKING, unicodeEscape)
    if (text.length + part.length > maxUnits) break
    text += part
    taken += character.length
  }
  return { text, taken }
}
