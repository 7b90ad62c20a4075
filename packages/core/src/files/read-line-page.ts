import { lineBatches, type LineRange, linesWithin, type LineProgress } from '@spillway/text/internal'

const BATCH_LENGTH = 262_144
/** UTF-16 units of a page, about, and of one line in it. */
const PAGE_LENGTH = 1_048_576
const CUT = '… [this line goes on: search it for what you need]'

/** Some lines of a text, as they were stored. */
export interface LinePage {
  /** The lines with LF between them, and with the one at the end of the text where lines beyond it were asked for. */
  readonly text: string
  /** The lines that `text` has; absent where it has none. */
  readonly lines?: LineRange
  /** How many lines there are; absent where the text goes on and was not read to its end. */
  readonly totalLines?: number
  /** Whether there are lines after these. */
  readonly goesOn: boolean
}

/**
 * Read lines, and no further than needed.
 *
 * A page that grows too large ends early; a line that is too large by itself is cut, and says so.
 *
 * @param countAll - Read to the end, so that `totalLines` is there in any case.
 */
export async function readLinePage(
  blocks: AsyncIterable<Uint8Array>,
  range: LineRange,
  countAll: boolean,
): Promise<LinePage> {
  const progress: LineProgress = { lines: 0, ended: false }
  const batches = lineBatches(blocks, { maxLength: BATCH_LENGTH, overlap: 0, keepByteOrderMark: true })
  const page = new PageCollector(range)
  // With the line after the range it is known whether the text goes on.
  for await (const batch of linesWithin(batches, { ...range, end: range.end + 1 }, progress, countAll)) {
    for (const [index, start] of batch.lineStarts.entries()) {
      const begins = index > 0 || batch.column === 0
      page.add(batch.text.slice(start, batch.lineStarts[index + 1]), begins)
    }
    if (page.goesOn && !countAll) break
  }
  const { text, lines, goesOn } = page
  return {
    text,
    ...(lines === undefined ? {} : { lines }),
    ...(progress.ended ? { totalLines: progress.lines } : {}),
    goesOn,
  }
}

/** Collects the lines of a range, until there are enough. */
class PageCollector {
  readonly #range: LineRange
  readonly #lines: string[] = []
  #length = 0
  #lineLength = 0
  /** What the latest line ends with: an LF, or nothing where the text ends. */
  #lineEnd = ''
  #goesOn = false

  constructor(range: LineRange) {
    this.#range = range
  }

  /** Whether there was a line that was not taken. */
  get goesOn(): boolean {
    return this.#goesOn
  }

  get lines(): LineRange | undefined {
    const { start } = this.#range
    return this.#lines.length === 0 ? undefined : { start, end: start + this.#lines.length - 1 }
  }

  get text(): string {
    const isWhole = this.#lines.length > this.#range.end - this.#range.start
    return this.#lines.join('\n') + (isWhole || this.#goesOn ? '' : this.#lineEnd)
  }

  /** Take a line, its beginning, or where it does not begin one a further part of the line before. */
  add(part: string, begins: boolean): void {
    if (begins) this.#begin()
    if (this.#goesOn) return
    this.#lineEnd = part.endsWith('\n') ? '\n' : ''
    const line = part.slice(0, part.length - this.#lineEnd.length)
    const left = PAGE_LENGTH - this.#lineLength
    if (left >= 0) this.#lines[this.#lines.length - 1] += line.length > left ? line.slice(0, left) + CUT : line
    this.#lineLength += line.length
    this.#length += part.length
  }

  #begin(): void {
    const { start, end } = this.#range
    this.#goesOn ||= this.#length > PAGE_LENGTH || start + this.#lines.length > end
    if (this.#goesOn) return
    this.#lines.push('')
    this.#lineLength = 0
  }
}
