import { cleanLine } from '@spillway/text/internal'
import { findNumbering, numberLength, type LineNumbering } from '../layout/numbered-lines.ts'

/** Number of lines that a tool may write before the output of a command. */
const MOST_BEFORE = 24
/** Number of UTF-16 units to search for line numbers. */
const NUMBERING_UNITS = 16_384

/** Lines of code in a text, without line numbers that a tool added. The strings are created on request. */
export class SourceLines {
  readonly text: string
  readonly count: number
  readonly numbering: LineNumbering | undefined
  /** Positions of the start and the end of each line's code in the text. */
  readonly begins: Uint32Array
  readonly ends: Uint32Array
  /** Range of the lines of code, 0-based. */
  readonly from: number
  readonly to: number

  constructor(text: string) {
    this.text = text
    const first = text.slice(0, NUMBERING_UNITS).split('\n')
    if (first.at(-1) === '' || first.length > 1) first.pop()
    this.numbering = findNumbering(first)
    let count = text === '' || text.endsWith('\n') ? 0 : 1
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
    this.count = count
    this.begins = new Uint32Array(count)
    this.ends = new Uint32Array(count)
    let to = count
    for (let line = 0, start = 0; line < count; line++) {
      const found = text.indexOf('\n', start)
      const end = found < 0 ? text.length : found
      const length = this.numbering === undefined ? 0 : numberLength(text, start, end, this.numbering)
      this.begins[line] = start + length
      this.ends[line] = end
      if (this.numbering !== undefined && length > 0) to = line + 1
      start = end + 1
    }
    if (this.numbering === undefined && count > 0 && /^<\/\w+>$/.test(this.line(count - 1))) to = count - 1
    this.from = Math.max(this.numbering?.from ?? 0, linesBefore(first))
    this.to = Math.max(to, this.from)
  }

  /** Returns the line in the form that a terminal shows. */
  line(index: number): string {
    return cleanLine(this.text.slice(this.begins[index], this.ends[index]))
  }

  code(): string {
    if (this.numbering === undefined) return this.text
    const lines: string[] = []
    for (let index = 0; index < this.count; index++) lines.push(this.text.slice(this.begins[index], this.ends[index]))
    return lines.join('\n')
  }
}

/** Count the lines that a tool wrote before the code, up to its last opening tag, for example `<output>`. */
export function linesBefore(lines: readonly string[]): number {
  if (!/^<\w+>/.test(lines[0]?.slice(0, 80) ?? '')) return 0
  return (
    1 +
    lines
      .slice(0, MOST_BEFORE)
      .findLastIndex((line, index) => /<\w+>$/.test(line.slice(-80)) && (index === 0 || !line.startsWith('  ')))
  )
}
