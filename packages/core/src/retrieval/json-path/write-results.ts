import { formatCount } from '@spillway/text/internal'
import type { ContentSource } from '../../content/content-source.ts'
import type { RetrievalContext } from '../retrieval-tool.ts'
import { cutToFit, fitCount } from '../show-hits.ts'
import { describeShape, kindOf, pathWithin, readShape } from './json-shape.ts'
import type { SelectedValue, WorkPace } from './select-json.ts'

/** UTF-16 units read of a value once more is read than all could show. */
const LEAST_READ = 1_000
/** UTF-16 units that a value takes in an answer, at least. */
const LEAST_SHOWN = 40
/** Large values whose items are counted, which reads all of them. */
const MAX_DESCRIBED = 4
/** Bytes of a value that are read to be shown, at most. */
const MAX_SHOWN_BYTES = 4 * 1_048_576

/** A selected value as it may be shown. */
export interface ResultView {
  readonly path: string
  /** The bytes of the content that the value takes. */
  readonly start: number
  readonly end: number
  /** The value as it stands in the content, or its beginning. */
  readonly json: string
  readonly isWhole: boolean
  /** What it is and how large. */
  readonly summary: string
  /** A path that shows a part of it; its own where there is none. */
  readonly partPath: string
}

/**
 * Read values to show, until more would not fit: as much of each as may be shown, and once that is more than all could
 * show, the beginnings alone.
 */
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
  const size = `${formatCount(end - start)} bytes`
  const shape = isDescribed ? await readShape(source, value, pace) : undefined
  return {
    path,
    start,
    end,
    json: new TextDecoder().decode(bytes, { stream: true }),
    isWhole: kept === end - start,
    summary: `${shape === undefined ? kindOf(bytes[0] ?? 0) : describeShape(shape)}; ${size}`,
    partPath: shape === undefined ? path : partOf(path, shape),
  }
}

function partOf(path: string, shape: Parameters<typeof pathWithin>[1]): string {
  return shape.kind === 'array' && shape.count > 0 ? `${path}[0:10]` : pathWithin(path, shape)
}

/** What stands around results. */
interface ResultFrame {
  readonly header: string
  /** Say how to see the results after the first `shown` of those that were read. */
  readonly more: (shown: number) => string | undefined
  /** Say how to read on in a value from the byte `next` of the content. */
  readonly cut: (view: ResultView, next: number) => string
}

/** Write results, as many of them as fit whole; where not even the first does, its beginning. */
export function writeResults(views: readonly ResultView[], frame: ResultFrame, context: RetrievalContext): string {
  const write = (count: number, maxUnits: number): string => {
    const shown = views.slice(0, count).map((view) => renderResult(view, maxUnits))
    const cut = shown.findIndex(({ next }) => next !== undefined)
    const notes = [cut < 0 ? undefined : frame.cut(views[cut]!, shown[cut]!.next!), frame.more(count)]
    const end = notes.filter((note) => note !== undefined)
    return [frame.header, '', ...shown.map(({ text }) => text), ...(end.length === 0 ? [] : ['', ...end])].join('\n')
  }
  const firstCut = views.findIndex((view) => !view.isWhole)
  const whole = fitCount((count) => write(count, Infinity), 1, firstCut < 0 ? views.length : firstCut, context)
  if (whole !== undefined) return whole.text
  const most = Math.min(renderResult(views[0]!, Infinity).text.length, MAX_SHOWN_BYTES)
  return fitCount((units) => write(1, units), 1, most, context)?.text ?? cutToFit(frame.header, context)
}

/** Write a result, and return the byte of the content at which what is cut of it begins. */
function renderResult(
  { path, start, json, isWhole, summary }: ResultView,
  maxUnits: number,
): { readonly text: string; readonly next?: number } {
  const { text, isCut, taken } = isWhole ? formatJson(json, maxUnits) : compactJson(json, maxUnits)
  if (isWhole && !isCut) return { text: text.includes('\n') ? `${path}:\n${text}` : `${path}: ${text}` }
  const next = start + new TextEncoder().encode(json.slice(0, taken)).length
  return { text: `${path} (${summary}): ${text} … [cut]`, next }
}

/** UTF-16 units of a value that stands on one line. */
const ONE_LINE_UNITS = 120
/** Levels that are indented; deeper ones stand where these do, so that the text grows with the value alone. */
const MAX_INDENTED = 40

const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g
/** What ends a line somewhere, or controls a terminal: in valid JSON only the last three stand in a string as they are. */
const BREAKING = /[\0-\x1f\x7f\u0085\u2028\u2029]/g
const OPENING = /^[{[]/
const CLOSING = /^[}\]]/

/** A value, or the beginning of one. */
interface FormattedJson {
  readonly text: string
  /** Whether there is more of it. */
  readonly isCut: boolean
  /** UTF-16 units of the JSON that `text` stands for. */
  readonly taken: number
}

/**
 * Write JSON anew: on one line where it is short, else indented by two spaces. Numbers and strings stay as they stand.
 *
 * @param maxUnits - UTF-16 units of the text; what is longer is cut, on one line.
 */
export function formatJson(json: string, maxUnits: number): FormattedJson {
  const line = compactJson(json, Math.min(ONE_LINE_UNITS, maxUnits))
  if (!line.isCut) return line
  const indented = indentJson(json, maxUnits)
  return indented.isCut ? compactJson(json, maxUnits) : indented
}

/** Write JSON on one line, as far as `maxUnits` go. */
export function compactJson(json: string, maxUnits: number): FormattedJson {
  return join(json, maxUnits, (token) => (token === ':' || token === ',' ? `${token} ` : token))
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function indentJson(json: string, maxUnits: number): FormattedJson {
  let level = 0
  let isEmpty = false
  return join(json, maxUnits, (token) => {
    const lineFeed = (levels: number): string => `\n${'  '.repeat(Math.min(levels, MAX_INDENTED))}`
    const wasEmpty = isEmpty
    isEmpty = false
    if (CLOSING.test(token)) {
      level = Math.max(0, level - 1)
      return (wasEmpty ? '' : lineFeed(level)) + token
    }
    const before = wasEmpty ? lineFeed(level) : ''
    if (OPENING.test(token)) {
      level++
      isEmpty = true
      return before + token
    }
    if (token === ',') return `,${lineFeed(level)}`
    return before + (token === ':' ? ': ' : token)
  })
}

function join(json: string, maxUnits: number, write: (token: string) => string): FormattedJson {
  const parts: string[] = []
  let units = 0
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const part = write(token.startsWith('"') ? token.replace(BREAKING, escape) : token)
    parts.push(part)
    units += part.length
    if (units <= maxUnits) continue
    const before = parts.slice(0, -1).join('')
    const { text, taken } = token.startsWith('"') ? cutString(token, maxUnits - before.length) : { text: '', taken: 0 }
    return { text: before + text, isCut: true, taken: index + taken }
  }
  return { text: parts.join(''), isCut: false, taken: json.length }
}

/** Write the beginning of a string, without cutting a character. */
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
