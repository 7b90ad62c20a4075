import { formatCount } from '../content/format-count.ts'
import type { LineMatch, LineView } from '../search/view-hits.ts'
import { cutAtGrapheme } from '../tokens/cut-at-grapheme.ts'
import { oneLine } from './plain-text.ts'

/** A line, and where its match lies in other terms than lines: a path in JSON, a page. */
export interface ShownLine extends LineView {
  readonly place?: string | undefined
}

/**
 * Write lines with their numbers, hits marked with `>`, and `---` where lines between are left out.
 *
 * Everything that comes from the content stands behind a number and a bar. A hit that is seen already, in what is shown
 * around the one before it in the same long line, gets no line of its own.
 *
 * @param maxLength - UTF-16 units shown of one line: around its match, else from its start.
 */
export function renderLines(views: readonly ShownLine[], maxLength: number): string[] {
  const width = String(views.at(-1)?.number ?? 0).length
  const lines: string[] = []
  let last: { readonly number: number; readonly end: number } | undefined
  for (const view of views) {
    const { number, match } = view
    if (last?.number === number && match !== undefined && match.end <= last.end) continue
    if (last !== undefined && number !== last.number + 1 && number !== last.number) lines.push('---')
    const { text, end } = renderLine(view, maxLength)
    lines.push(`${match === undefined ? ' ' : '>'} ${String(number).padStart(width)}| ${text}`)
    last = { number, end }
  }
  return lines
}

/** Write what is shown of a line, and return where that ends in it. */
function renderLine(view: ShownLine, maxLength: number): { readonly text: string; readonly end: number } {
  const { length, match, offset } = view
  const place = view.place === undefined ? '' : oneLine(view.place)
  if (length <= maxLength && view.text.length === length)
    return { text: place === '' ? oneLine(view.text) : `${oneLine(view.text)}  [${place}]`, end: length }
  if (match === undefined) {
    const head = cutAtGrapheme(view.text, maxLength)
    return { text: `${oneLine(head)}… [${formatCount(length - head.length)} more characters]`, end: head.length }
  }
  const start = Math.max(offset, windowStart(match, length, maxLength))
  const { shown, start: cut } = cutBothEnds(
    view.text,
    start - offset,
    Math.min(start + maxLength, offset + view.text.length) - offset,
  )
  const first = offset + cut
  const end = first + shown.length
  const columns = `columns ${formatCount(first + 1)}-${formatCount(end)} of ${formatCount(length)}`
  const where = place === '' ? columns : `${columns}, ${place}`
  return { text: `${first > 0 ? '…' : ''}${oneLine(shown)}${end < length ? '…' : ''}  [${where}]`, end }
}

/** Where a window of `keep` units begins that shows a match in the middle, or its beginning where it is longer. */
function windowStart(match: LineMatch, length: number, keep: number): number {
  if (length <= keep) return 0
  const around = Math.max(keep - (match.end - match.start), keep / 4)
  const start = match.start - Math.floor(around / 2)
  return Math.max(0, Math.min(start, length - keep))
}

/** Take `text` from `start` to `end`, or a little less so that no grapheme is cut, unless that leaves nothing. */
function cutBothEnds(text: string, start: number, end: number): { readonly shown: string; readonly start: number } {
  const fromStart = cutAtGrapheme(text, text.length - start, true)
  const wholeStart = text.length - fromStart.length
  const shown = cutAtGrapheme(fromStart, end - wholeStart)
  return shown === '' ? { shown: text.slice(start, end).toWellFormed(), start } : { shown, start: wholeStart }
}
