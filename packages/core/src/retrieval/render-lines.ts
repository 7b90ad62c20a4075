import { cutAtGrapheme, cutWithMark, escapeAround, utf8Text } from '@spillway/text/internal'
import { unitsToBytes } from '../search/search-blocks.ts'
import { windowStart, type LineView } from '../search/view-hits.ts'
import type { MatchingLine } from './retrieval-tool.ts'
import { oneLine, spanOf } from './write-answer.ts'

export interface ShownLine extends LineView {
  readonly place?: string | undefined
  /** Whether this is the line of column names, which is shown even if no match is near. */
  readonly isNames?: boolean | undefined
}

/** A part with its `start` and `end` in bytes of the content. */
interface Part {
  readonly view: ShownLine
  readonly start: number
  text: string
  end: number
}

/** Writes lines with a number and a bar, which stored text cannot imitate. `>` marks hits, and `---` marks gaps. */
export function renderLines(
  views: readonly ShownLine[],
  maxLength: number,
): { readonly lines: string[]; readonly matchingLines: Omit<MatchingLine, 'reference'>[] } {
  const width = String(views.at(-1)?.number ?? 0).length
  const lines: string[] = []
  const matchingLines: Omit<MatchingLine, 'reference'>[] = []
  let last: ShownLine | undefined
  for (const part of partsOf(views, maxLength)) {
    const { number, match, start, line } = part.view
    if (last !== undefined && number !== last.number + 1 && number !== last.number) lines.push('---')
    const text = renderText(part)
    lines.push(`${match === undefined ? ' ' : '>'} ${String(number).padStart(width)}| ${text}${renderPlace(part)}`)
    if (match !== undefined)
      matchingLines.push({ line: number, ...(start === line.start && { column: match.start + 1 }), text })
    last = part.view
  }
  return { lines, matchingLines }
}

function partsOf(views: readonly ShownLine[], maxLength: number): Part[] {
  const parts: Part[] = []
  for (const view of views) {
    const last = parts.at(-1)
    const before = last?.view.number === view.number && view.hit !== undefined ? last : undefined
    if (before !== undefined && view.hit!.end <= before.end) continue
    const part = partOf(view, maxLength, before?.end ?? 0)
    if (part.start === before?.end) {
      before.text += part.text
      before.end = part.end
    } else parts.push(part)
  }
  return parts
}

function partOf(view: ShownLine, maxLength: number, from: number): Part {
  const { text, match, start: base, bytes, line } = view
  if (view.isShown === true) return { view, text: cutWithMark(text, maxLength), start: line.start, end: line.end }
  if (view.isWhole && text.length <= maxLength) return { view, text, start: line.start, end: line.end }
  const low = from <= base ? 0 : utf8Text(bytes, 0, from - base).length
  const wanted = match === undefined ? 0 : windowStart(match, text.length, maxLength)
  const begin = Math.max(low, wanted)
  const { shown, start } = cutBothEnds(text, begin, Math.min(begin + maxLength, text.length))
  const first = unitsToBytes(bytes, 0, bytes.length, start)
  const end = base + first + unitsToBytes(bytes, first, bytes.length, shown.length)
  return { view, text: shown, start: base + first, end }
}

function renderText({ view: { line }, text, start, end }: Part): string {
  return `${start > line.start ? '…' : ''}${oneLine(text)}${end < line.end ? '…' : ''}`
}

function renderPlace({ view: { line, place }, start, end }: Part): string {
  const isWhole = start === line.start && end === line.end
  const span = isWhole ? [] : [`bytes ${spanOf(start, end)} of ${spanOf(line.start, line.end)}`]
  const where = [...span, ...(place === undefined ? [] : [oneLine(place)])].join(', ')
  return where === '' ? '' : `  [${where}]`
}

/** Cuts a text at both ends. Never cuts a grapheme or an escape sequence. */
function cutBothEnds(text: string, start: number, end: number): { readonly shown: string; readonly start: number } {
  const from = escapeAround(text, start)?.end ?? start
  const fromStart = cutAtGrapheme(text, text.length - from, true)
  const wholeStart = text.length - fromStart.length
  const shown = cutAtGrapheme(fromStart, escapeAround(fromStart, end - wholeStart)?.end ?? end - wholeStart)
  return shown === '' ? { shown: text.slice(start, end).toWellFormed(), start } : { shown, start: wholeStart }
}
