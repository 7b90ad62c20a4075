import { formatCount } from '../lines/clean-line.ts'
import { isFooter } from './find-columns.ts'
import { JsonRows } from './json-rows.ts'

/** Matches the line above a record of `\x` in psql or of `\G` in MySQL. */
const RECORD = /^(?:-\[ RECORD |\*{9,} )\d+(?: \][-+]*|\. row \*{9,})$/
/** Matches a cell of logfmt. */
const PAIR = /([\w.@/-]+)=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s"]*))(?:\s+|$)/gy
/** Longest line in UTF-16 units. Longer lines are left out. */
const LONGEST_LINE = 65_536

/** Whether a text has records whose cells have names: blocks of psql or MySQL, or lines of logfmt. */
export function hasNamedCells(start: string): boolean {
  const lines = start.split('\n', 4).slice(0, -1)
  return lines.some((line) => RECORD.test(line.trim())) || (lines.length > 2 && lines.every(pairsOf))
}

/** Return the cells of a line of logfmt. Returns `undefined` for other lines, and for a line with only one cell. */
function pairsOf(line: string): Map<string, string> | undefined {
  const pairs = [...line.matchAll(PAIR)]
  if (pairs.length < 2 || pairs.reduce((sum, [pair]) => sum + pair.length, 0) < line.length) return undefined
  return new Map(pairs.map(([, name, quoted, plain]) => [name!, quoted?.replace(/\\(.)/g, '$1') ?? plain!]))
}

/** Reads records whose cells have names. */
export class NamedRows extends JsonRows {
  #rest = ''
  /** Separator after the names in blocks. */
  #separator = ''
  #cells = new Map<string, string>()
  #others = 0

  override push(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!.slice(0, LONGEST_LINE + 1)
    for (const line of lines) this.#line(line)
  }

  override finish(): readonly string[] | undefined {
    this.#line(this.#rest)
    this.#endRow()
    if (super.finish() === undefined) return undefined
    return this.#others === 0 ? [] : [`Lines without named cells were left out: ${formatCount(this.#others)}.`]
  }

  override kindOf(): undefined {}

  #line(text: string): void {
    // No cell has a name in the text for a line that is too long.
    const line = text.length > LONGEST_LINE ? '?' : text.trim()
    const isStart = RECORD.test(line)
    if (isStart) this.#separator = line.startsWith('-') ? '|' : ':'
    const isBlock = this.#separator !== ''
    if (isStart || !isBlock) this.#endRow()
    const at = isBlock ? line.indexOf(this.#separator) : 0
    const pairs = isBlock ? undefined : pairsOf(line)
    if (pairs !== undefined) this.#cells = pairs
    else if (at > 0) this.#cells.set(line.slice(0, at).trimEnd(), line.slice(at + 1).trimStart())
    else if (!isStart && line !== '' && !isFooter(line)) this.#others++
  }

  #endRow(): void {
    if (this.#cells.size > 0) this.add(Object.fromEntries(this.#cells))
    this.#cells = new Map()
  }
}
