import type { ContentSource } from '../../content/content-source.ts'
import { formatCount } from '../../content/format-count.ts'
import { cutToFit, fitCount, fits } from '../fit-answer.ts'
import type { RetrievalContext } from '../retrieval-context.ts'
import { compactJson, formatJson } from './format-json.ts'
import { describeShape, kindOf, pathWithin, readShape } from './json-shape.ts'
import type { SelectedValue } from './select-json.ts'
import type { WorkPace } from './work-pace.ts'

/** UTF-16 units of a value where several values cannot be shown whole: what is tried, one after the other. */
const CUT_UNITS: readonly number[] = [1_000, 200, 40]
/** Large values whose items are counted, which reads all of them. */
const MAX_DESCRIBED = 4
/** Bytes of a value that are read to be shown, at most. */
const MAX_SHOWN_BYTES = 4 * 1_048_576

/** A selected value as it may be shown. */
export interface ResultView {
  readonly path: string
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
    const maxBytes = read > maxUnits ? CUT_UNITS[0]! : maxUnits * 2
    const view = await readResult(source, value, { maxBytes, isDescribed: isLarge && described < MAX_DESCRIBED }, pace)
    if (isLarge) described++
    views.push(view)
    read += view.json.length
    least += view.path.length + Math.min(view.json.length, CUT_UNITS.at(-1)!)
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
    json: new TextDecoder().decode(bytes),
    isWhole: kept === end - start,
    summary: `${shape === undefined ? kindOf(bytes[0] ?? 0) : describeShape(shape)}; ${size}`,
    partPath: shape === undefined ? path : partOf(path, shape),
  }
}

function partOf(path: string, shape: Parameters<typeof pathWithin>[1]): string {
  return shape.kind === 'array' && shape.count > 0 ? `${path}[0:10]` : pathWithin(path, shape)
}

/** What stands around results. */
export interface ResultFrame {
  readonly header: string
  /** Say how to see the results after the first `shown` of those that were read. */
  readonly more: (shown: number) => string | undefined
  /** Say how to see what is cut of a value. */
  readonly cut: (view: ResultView) => string
}

/** Write results, as much of them as fits: all of them whole; else fewer, with large ones cut. */
export function writeResults(views: readonly ResultView[], frame: ResultFrame, context: RetrievalContext): string {
  const write = (count: number, maxUnits: number): string => {
    const shown = views.slice(0, count).map((view) => renderResult(view, maxUnits))
    const cut = shown.findIndex(({ isCut }) => isCut)
    const notes = [cut < 0 ? undefined : frame.cut(views[cut]!), frame.more(count)].filter((note) => note !== undefined)
    const end = notes.length === 0 ? [] : ['', ...notes]
    return [frame.header, '', ...shown.map(({ text }) => text), ...end].join('\n')
  }
  const all = write(views.length, Infinity)
  if (fits(all, context)) return all
  if (views.length > 1) {
    for (const units of CUT_UNITS) {
      const best = fitCount((count) => write(count, units), 1, views.length, context)
      if (best !== undefined) return best.text
    }
  }
  const most = Math.min(renderResult(views[0]!, Infinity).text.length, MAX_SHOWN_BYTES)
  return fitCount((units) => write(1, units), 0, most, context)?.text ?? cutToFit(frame.header, context)
}

function renderResult(
  { path, json, isWhole, summary }: ResultView,
  maxUnits: number,
): { readonly text: string; readonly isCut: boolean } {
  const { text, isCut } = isWhole ? formatJson(json, maxUnits) : compactJson(json, maxUnits)
  if (isWhole && !isCut) return { text: text.includes('\n') ? `${path}:\n${text}` : `${path}: ${text}`, isCut }
  return { text: `${path} (${summary}): ${text} … [cut]`, isCut: true }
}
