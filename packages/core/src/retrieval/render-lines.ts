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
 * Everything that comes from the content stands behind a number and a bar.
 *
 * @param maxLength - UTF-16 units shown of one line: around its match, else from its start.
 */
export function renderLines(views: readonly ShownLine[], maxLength: number): string[] {
  const width = String(views.at(-1)?.number ?? 0).length
  let last: number | undefined
  return views.flatMap((view) => {
    const gap = last !== undefined && view.number !== last + 1 && view.number !== last
    last = view.number
    const mark = view.match === undefined ? ' ' : '>'
    const line = `${mark} ${String(view.number).padStart(width)}| ${renderLine(view, maxLength)}`
    return gap ? ['---', line] : [line]
  })
}

function renderLine(view: ShownLine, maxLength: number): string {
  const place = view.place === undefined ? '' : oneLine(view.place)
  if (view.length <= maxLength && view.text.length === view.length)
    return place === '' ? oneLine(view.text) : `${oneLine(view.text)}  [${place}]`
  if (view.match === undefined) {
    const head = cutAtGrapheme(view.text, maxLength)
    return `${oneLine(head)}… [${formatCount(view.length - head.length)} more characters]`
  }
  const kept = view.offset + view.text.length
  const start = Math.max(view.offset, windowStart(view.match, view.length, maxLength))
  const end = Math.min(start + maxLength, kept)
  const text = cutBothEnds(view.text, start - view.offset, end - view.offset)
  const first = view.offset + text.start
  const last = first + text.shown.length
  const columns = `columns ${formatCount(first + 1)}-${formatCount(last)} of ${formatCount(view.length)}`
  const places = place === '' ? `[${columns}]` : `[${columns}, ${place}]`
  return `${first > 0 ? '…' : ''}${oneLine(text.shown)}${last < view.length ? '…' : ''}  ${places}`
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
