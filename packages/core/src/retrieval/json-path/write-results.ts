import { countOf } from '@spillway/text/internal'
import type { ContentSource } from '../../content/content-source.ts'
import { fitAnswer, type Answer } from '../write-answer.ts'
import type { AnswerLimit } from '../retrieval-tool.ts'
import { describeShape, kindOf, pathWithin, readShape } from './json-shape.ts'
import type { SelectedValue, WorkPace } from './select-json.ts'

/** UTF-16 units read of each value after the answer is full. */
const LEAST_READ = 1_000
const LEAST_SHOWN = 40
/** Counting items reads the whole value, so only a few are counted. */
const MAX_DESCRIBED = 4
const MAX_SHOWN_BYTES = 4 * 1_048_576

export interface ResultView {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly json: string
  readonly isWhole: boolean
  readonly summary: string
  /** Path of a part of the value, or of the value itself if it has no parts. */
  readonly partPath: string
}

/** Reads whole values until the answer is full, then only their beginnings. */
export async function readResults(
  source: ContentSource,
  values: readonly SelectedValue[],
  maxUnits: number,
  pace: WorkPace,
): Promise<readonly ResultView[]> {
  const views: ResultView[] = []
  let least = 0
  let read = 0
  let described = 0
  for (const value of values) {
    const isLarge = value.end - value.start > maxUnits / 4
    const maxBytes = read > maxUnits ? LEAST_READ : maxUnits * 2
    const view = await readResult(source, value, { maxBytes, isDescribed: isLarge && described < MAX_DESCRIBED }, pace)
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
  pace: WorkPace,
): Promise<ResultView> {
  const { path, start, end } = value
  const kept = Math.min(end - start, MAX_SHOWN_BYTES, maxBytes)
  const bytes = await source.read(start, kept)
  if (pace.isDue) await pace.turn()
  const size = countOf(end - start, 'byte')
  const shape = isDescribed ? await readShape(source, value, pace) : undefined
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

interface ResultFrame {
  readonly reference: string
  /** All but the results, from their number and the bytes that are cut of the first. */
  readonly frame: (shown: number, cut?: { readonly next: number; readonly end: number }) => Answer
}

/** Writes whole results that fit, else the beginning of the first. */
export function writeResults(
  views: readonly ResultView[],
  { reference, frame }: ResultFrame,
  limit: AnswerLimit,
): Answer {
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
  return fitAnswer((units) => write(1, units), 1, most, limit) ?? frame(0)
}

/** Returns the byte of the content at which the cut part begins. */
function renderResult(
  { path, start, json, isWhole, summary }: ResultView,
  maxUnits: number,
): { readonly text: string; readonly next?: number } {
  const { text, isCut, taken } = compactJson(json, maxUnits)
  if (isWhole && !isCut) return { text: `${path}: ${text}` }
  const next = start + new TextEncoder().encode(json.slice(0, taken)).length
  return { text: `${path} (${summary}): ${text} … [cut]`, next }
}

const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g
/** Line ends and terminal controls. In valid JSON only the last three occur unescaped in strings. */
const BREAKING = /[\0-\x1f\x7f\u0085\u2028\u2029]/g
interface FormattedJson {
  readonly text: string
  readonly isCut: boolean
  /** UTF-16 units of the JSON that `text` shows. */
  readonly taken: number
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Write JSON on one line, with numbers and strings as written. Text over `maxUnits` is cut. */
export function compactJson(json: string, maxUnits: number): FormattedJson {
  const parts: string[] = []
  let units = 0
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const isString = token.startsWith('"')
    const part = isString ? token.replace(BREAKING, escape) : token === ':' || token === ',' ? `${token} ` : token
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
    const part = character.replace(BREAKING, escape)
    if (text.length + part.length > maxUnits) break
    text += part
    taken += character.length
  }
  return { text, taken }
}
