import { formatCount, cleanLine, cutAtGrapheme, estimateTokens } from '@spillway/text/internal'
import { fitBudget, type Draft } from '../layout/fit-budget.ts'
import { countOf, showGap } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { lastElement, recordsOf, type XmlRecords } from './xml-records.ts'
import { problemLines } from './xml-problem-lines.ts'
import { shapeLines } from './xml-shape-lines.ts'
import type { XmlScan } from './xml-node.ts'

/**
 * Shares of the budget: of paths of elements, of elements as they stand in the document, and of those that report failures.
 * What one does not need goes to the others.
 */
const SHARES = { shape: 0.3, elements: 0.3, problems: 0.4 }

/** Units of an element that are shown at most while others are hidden. */
const MAX_ELEMENT = 600
const GAP_TOKENS = 14
/** Units of the first hidden element that find it. */
const MAX_BEGINNING = 80

/** Write the preview of a document of XML. */
export function writeXml(scan: XmlScan, options: PreviewOptions): string {
  const records = recordsOf(scan.root)
  return fitBudget((aim) => writeDraft(scan, records, options, aim), options)
}

function writeDraft(scan: XmlScan, records: XmlRecords | undefined, options: PreviewOptions, aim: number): Draft {
  const header = headerOf(scan, aim)
  let left = aim - estimateTokens(header) - 1
  if (scan.head.length === scan.length && scan.length < left * 8) {
    const whole = [header, ...scan.head.split('\n').map(cleanLine)].join('\n').trimEnd().toWellFormed()
    if (estimateTokens(whole) <= aim) return { text: whole, complete: true }
  }
  const problems = problemLines(scan, left * Math.max(SHARES.problems, 1 - SHARES.shape - SHARES.elements))
  left -= tokensOf(problems)
  const shape = shapeLines(scan.root, (left * SHARES.shape) / Math.max(0.01, SHARES.shape + SHARES.elements))
  left -= tokensOf(shape)
  const elements = records === undefined ? headLines(scan, options, left) : recordLines(scan, records, options, left)
  return { text: [header, ...problems, ...shape, ...elements].join('\n').toWellFormed(), complete: false }
}

function headerOf({ root, elements, lines }: XmlScan, aim: number): string {
  const [top] = root.children.keys()
  const name = top === undefined ? '' : ` <${cutAtGrapheme(cleanLine(top), 60)}>`
  const header = `[XML${name}: ${countOf(elements, 'element')}, ${countOf(lines, 'line')}]`
  return estimateTokens(header) <= aim * 0.6 ? header : '[XML]'
}

/** The first elements of those that repeat, what is hidden, and the last one. */
function recordLines(scan: XmlScan, { node, spans }: XmlRecords, options: PreviewOptions, tokens: number): string[] {
  const last = lastElement(scan, node)
  const cap = Math.max(80, Math.min(MAX_ELEMENT, Math.floor(tokens * 1.2)))
  const lastLine = last === undefined ? '' : recordLine(last.line, last.text, cap)
  const call = estimateTokens(options.showLines?.(1_000, 1_999) ?? '')
  let left = tokens - GAP_TOKENS - call - (last === undefined ? 0 : estimateTokens(lastLine) + 1)
  const lines: string[] = []
  let shown = 0
  for (; shown < spans.length; shown++) {
    const { start, end, line } = spans[shown]!
    const text = recordLine(line, scan.head.slice(start, end), cap)
    left -= estimateTokens(text) + 1
    if (left < 0) break
    lines.push(text)
  }
  const showsLast = last !== undefined && shown < node.count && left > -tokens
  const hidden = node.count - shown - (showsLast ? 1 : 0)
  if (hidden > 0) {
    const from = spans[shown]?.line ?? spans.at(-1)?.line ?? 1
    const to = showsLast ? last.line : scan.lines
    const { start = 0, end = start } = spans[shown] ?? {}
    const beginning = scan.head.slice(start, Math.min(end, start + MAX_BEGINNING))
    const mark = showGap(options, { start: from, end: to, units: scan.length - start, beginning })
    lines.push(`[… ${formatCount(hidden)} more <${cleanLine(node.name)}>${mark === undefined ? '' : `: ${mark}`}]`)
  }
  if (showsLast) lines.push(lastLine)
  return lines
}

function recordLine(line: number, text: string, cap: number): string {
  const flat = cleanLine(text.replace(/>\s+</g, '><').replace(/\s+/g, ' ')).trim()
  const cut = cutAtGrapheme(flat, cap)
  return `[line ${line}] ${cut}${cut.length < flat.length ? `[… ${formatCount(flat.length - cut.length)} more characters]` : ''}`
}

/** The first lines of the document, and how many are hidden. */
function headLines({ head, length, lines: total }: XmlScan, options: PreviewOptions, tokens: number): string[] {
  const call = estimateTokens(options.showLines?.(1_000, 1_999) ?? '')
  let left = tokens - GAP_TOKENS - call
  const lines: string[] = []
  const cap = Math.max(120, Math.floor(tokens))
  for (let at = 0; at < head.length;) {
    const found = head.indexOf('\n', at)
    const end = found < 0 ? head.length : found
    const line = cleanLine(head.slice(at, Math.min(end, at + 4 * cap)))
    const cut = cutAtGrapheme(line, cap)
    const hidden = end - at - (cut.length === line.length && end - at <= 4 * cap ? end - at : cut.length)
    const text = hidden > 0 ? `${cut}[… ${formatCount(hidden)} more characters]` : cut
    left -= estimateTokens(text) + 1
    if (left < 0 && lines.length > 0) break
    lines.push(text)
    at = end + 1
    if (found < 0 && head.length < length) break
  }
  if (lines.length < total) {
    const mark = options.showLines?.(lines.length + 1, total)
    lines.push(`[… ${countOf(total - lines.length, 'line')}${mark === undefined ? '' : `: ${mark}`}]`)
  }
  return lines
}

function tokensOf(lines: readonly string[]): number {
  return lines.reduce((tokens, line) => tokens + estimateTokens(line) + 1, 0)
}
