import { formatCount } from '../content/format-count.ts'
import { cutAtGrapheme } from '../tokens/cut-at-grapheme.ts'
import { windowStart } from './line-view.ts'
import type { LineView } from './line-view.ts'
import { oneLine } from './plain-text.ts'

/**
 * Write lines with their numbers, hits marked with `>`, and `---` where lines between are left out.
 *
 * Everything that comes from the content stands behind a number and a bar.
 *
 * @param maxLength - UTF-16 units shown of one line: around its match, else from its start.
 */
export function renderLines(views: readonly LineView[], maxLength: number): string[] {
  const width = String(views.at(-1)?.number ?? 0).length
  let last: number | undefined
  return views.flatMap((view) => {
    const gap = last !== undefined && view.number !== last + 1
    last = view.number
    const mark = view.match === undefined ? ' ' : '>'
    const line = `${mark} ${String(view.number).padStart(width)}| ${renderLine(view, maxLength)}`
    return gap ? ['---', line] : [line]
  })
}

function renderLine(view: LineView, maxLength: number): string {
  if (view.length <= maxLength && view.text.length === view.length) return oneLine(view.text)
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
  const columns = `[columns ${formatCount(first + 1)}-${formatCount(last)} of ${formatCount(view.length)}]`
  return `${first > 0 ? '…' : ''}${oneLine(text.shown)}${last < view.length ? '…' : ''}  ${columns}`
}

/** Take `text` from `start` to `end`, or a little less so that no grapheme is cut, unless that leaves nothing. */
function cutBothEnds(text: string, start: number, end: number): { readonly shown: string; readonly start: number } {
  const fromStart = cutAtGrapheme(text, text.length - start, true)
  const wholeStart = text.length - fromStart.length
  const shown = cutAtGrapheme(fromStart, end - wholeStart)
  return shown === '' ? { shown: text.slice(start, end).toWellFormed(), start } : { shown, start: wholeStart }
}
