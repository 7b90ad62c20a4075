import { formatCount, cutAtGrapheme } from '@spillway/text/internal'
import type { ScannedLine } from './text-scan.ts'

/** A cut that hides less is not worth its mark. */
const MARK_UNITS = 60

/** Units before a match that are shown with it. */
const BEFORE_MATCH = 60

/**
 * Show at most `cap` UTF-16 units of a line: its start, the neighbourhood of what matters in it, and with `endShare` of
 * the units its end; what is left out is said.
 */
export function showLine(line: ScannedLine, cap: number, endShare: number): string {
  if (line.hidden === 0 && line.text.length <= cap + Math.min(cap * 0.25, MARK_UNITS)) return line.text
  const endUnits = Math.floor(cap * endShare)
  const end = cutAtGrapheme(line.hidden === 0 ? line.text : line.end, endUnits, true)
  let start = cutAtGrapheme(line.text, cap - endUnits)
  const length = line.text.length + line.hidden + line.end.length
  if (line.at > start.length - 40 && line.at < line.text.length - end.length) {
    // What matters stands beyond the start: part of the room goes there.
    start = cutAtGrapheme(start, Math.floor(start.length * 0.4))
    const from =
      line.text.length -
      cutAtGrapheme(line.text, line.text.length - Math.max(start.length, line.at - BEFORE_MATCH), true).length
    const match = cutAtGrapheme(line.text.slice(from), cap - endUnits - start.length)
    const rest = length - from - match.length - end.length
    if (rest > 0) return `${start}${mark(from - start.length)}${match}${mark(rest)}${end}`
    // The match stands near the end: the end alone shows it.
    const last = cutAtGrapheme(line.text, cap - start.length, true)
    return `${start}${mark(length - start.length - last.length)}${last}`
  }
  return `${start}${mark(length - start.length - end.length)}${end}`
}

function mark(units: number): string {
  return units <= 0 ? '' : `[… ${formatCount(units)} more characters …]`
}
