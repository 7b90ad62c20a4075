import { cleanLine } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import type { PdfContent, PdfLine } from './read-pages.ts'

/** Letters so much higher than those of the running text make a heading. */
const HEADING_FACTOR = 1.15
/** Longer lines are no headings, however high; in UTF-16 units. */
const MAX_HEADING = 120
const LEVELS = 3

/**
 * Write the pages as one text, each after a line `--- page 3 of 12 ---`, with headings marked as in Markdown.
 *
 * What was not read is said at the end.
 */
export function pageText({ pageCount, pages }: PdfContent): string {
  const levels = headingLevels(pages.flatMap((page) => page ?? []))
  const parts = pages.map((page, index) => {
    const lines = page === null ? ['[this page cannot be read]'] : page.map((line) => writeLine(line, levels))
    return [`--- page ${index + 1} of ${pageCount} ---`, '', ...withoutBlanks(lines), ''].join('\n')
  })
  const left = pageCount - pages.length
  if (left > 0) parts.push(`[${countOf(left, 'page')} not read]\n`)
  return parts.join('\n')
}

/** Tell whether any page has text. */
export const hasText = ({ pages }: PdfContent): boolean =>
  pages.some((page) => page?.some(({ text }) => text.trim() !== '') === true)

function writeLine({ text, height }: PdfLine, levels: ReadonlyMap<number, number>): string {
  const line = cleanLine(text).trimEnd()
  const level = isHeadingText(line) ? levels.get(round(height)) : undefined
  return level === undefined ? line : `${'#'.repeat(level)} ${line.trimStart()}`
}

/** Find the heights of headings: those above the height of most of the text, the highest first. */
function headingLevels(lines: readonly PdfLine[]): Map<number, number> {
  const lengths = new Map<number, number>()
  for (const { text, height } of lines) lengths.set(round(height), (lengths.get(round(height)) ?? 0) + text.length)
  let body = 0
  for (const [height, length] of lengths) if (height > 0 && length > (lengths.get(body) ?? 0)) body = height
  const heights = [...lengths.keys()].filter((height) => body > 0 && height >= body * HEADING_FACTOR)
  heights.sort((one, other) => other - one)
  return new Map(heights.map((height, index) => [height, Math.min(index + 1, LEVELS)]))
}

const isHeadingText = (line: string): boolean => line.length <= MAX_HEADING && /\p{L}/u.test(line)

const round = (height: number): number => Math.round(height * 2) / 2

/** Keep one empty line of several, and none at the ends. */
function withoutBlanks(lines: readonly string[]): string[] {
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''))
  return kept.at(-1) === '' ? kept.slice(0, -1) : kept
}
