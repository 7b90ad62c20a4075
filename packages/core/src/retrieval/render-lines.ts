import { utf8Text, formatCount, escapeAround, cutAtGrapheme } from '@spillway/text/internal'
import { unitsToBytes } from '../search/search-blocks.ts'
import { windowStart, type LineView } from '../search/view-hits.ts'
import { oneLine } from './plain-text.ts'

/** A line, and where its match lies in other terms than lines: a path in JSON, a page. */
export interface ShownLine extends LineView {
  readonly place?: string | undefined
}

/** A line, or the part of it that is written; `start` and `end` are bytes of the content. */
interface Part {
  readonly view: ShownLine
  readonly start: number
  text: string
  end: number
}

/**
 * Write lines with their numbers, hits marked with `>`, and `---` where lines between are left out. A part of a long line
 * comes with its bytes and those of the line.
 *
 * Everything that comes from the content stands behind a number and a bar. A hit that is seen already, in what is shown
 * of the same long line, gets no line of its own, and one that follows it closely is written on with it.
 *
 * @param maxLength - UTF-16 units shown for each hit, around it; of other lines from their start.
 */
export function renderLines(views: readonly ShownLine[], maxLength: number): string[] {
  const width = String(views.at(-1)?.number ?? 0).length
  const lines: string[] = []
  let last: ShownLine | undefined
  for (const part of partsOf(views, maxLength)) {
    const { number, match } = part.view
    if (last !== undefined && number !== last.number + 1 && number !== last.number) lines.push('---')
    lines.push(`${match === undefined ? ' ' : '>'} ${String(number).padStart(width)}| ${renderPart(part)}`)
    last = part.view
  }
  return lines
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

/** Choose what is shown of a line, not before the byte `from`. */
function partOf(view: ShownLine, maxLength: number, from: number): Part {
  const { text, match, start: base, bytes, line } = view
  if (view.isShown === true) {
    const cut = cutAtGrapheme(text, maxLength)
    return { view, text: cut.length < text.length ? `${cut}…` : cut, start: line.start, end: line.end }
  }
  if (view.isWhole && text.length <= maxLength) return { view, text, start: line.start, end: line.end }
  const low = from <= base ? 0 : utf8Text(bytes, 0, from - base).length
  const wanted = match === undefined ? 0 : windowStart(match, text.length, maxLength)
  const begin = Math.max(low, wanted)
  const { shown, start } = cutBothEnds(text, begin, Math.min(begin + maxLength, text.length))
  const first = unitsToBytes(bytes, 0, bytes.length, start)
  const end = base + first + unitsToBytes(bytes, first, bytes.length, shown.length)
  return { view, text: shown, start: base + first, end }
}

function renderPart({ view, text, start, end }: Part): string {
  const { line } = view
  const isWhole = start === line.start && end === line.end
  const span = isWhole ? [] : [`bytes ${spanOf(start, end)} of ${spanOf(line.start, line.end)}`]
  const where = [...span, ...(view.place === undefined ? [] : [oneLine(view.place)])].join(', ')
  const shown = `${start > line.start ? '…' : ''}${oneLine(text)}${end < line.end ? '…' : ''}`
  return where === '' ? shown : `${shown}  [${where}]`
}

/** Write a span of bytes as `byte_range` takes it. */
export function spanOf(start: number, end: number): string {
  return `${formatCount(start + 1)}-${formatCount(end)}`
}

/** Take `text` from `start` to `end`, or a little less or more so that no grapheme and no escape sequence is cut. */
function cutBothEnds(text: string, start: number, end: number): { readonly shown: string; readonly start: number } {
  const from = escapeAround(text, start)?.end ?? start
  const fromStart = cutAtGrapheme(text, text.length - from, true)
  const wholeStart = text.length - fromStart.length
  const shown = cutAtGrapheme(fromStart, escapeAround(fromStart, end - wholeStart)?.end ?? end - wholeStart)
  return shown === '' ? { shown: text.slice(start, end).toWellFormed(), start } : { shown, start: wholeStart }
}
