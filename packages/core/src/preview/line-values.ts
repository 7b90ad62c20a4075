import { lineTemplate } from './line-template.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

/** Lines before a failed command's end that are worth something for standing there. */
const BEFORE_EXIT = 40
/** Ends of failed commands that lend worth to the lines before them. */
const EXITS = 3

/** How much each kept line of a program's output is worth showing, in the order of `scan.kept`. */
export function lineValues(scan: TextScan, isError: boolean): Float64Array {
  const lines = scan.kept
  const own = ownValues(lines)
  const values = own.slice()
  const raise = (index: number, value: number): void => {
    const had = values[index]!
    values[index] = value > had ? value + had * 0.2 : had + value * 0.2
  }
  addContext(lines, own, raise)
  addExits(lines, raise)
  addEnds(scan, isError, raise)
  for (const [index, line] of lines.entries()) {
    if (EMPTY.test(line.text)) values[index] = values[index]! * 0.1
  }
  return values
}

/** A rule, or a level with nothing after it. */
const EMPTY = /^\W*(?:\[?[A-Za-z]{1,12}\]\W*)?$/

/** What a line is worth by itself: less for each like line before it, more for a line unlike all others. */
function ownValues(lines: readonly ScannedLine[]): Float64Array {
  const seen = new Map<number, number>()
  const values = new Float64Array(lines.length)
  for (const [index, line] of lines.entries()) {
    if (line.weight === 0) {
      values[index] = line.alike === 1 ? 4 : line.alike <= 3 ? 2 : 0
      continue
    }
    const template = lineTemplate(line.text)
    const before = seen.get(template) ?? 0
    seen.set(template, before + 1)
    const crowd = line.repeats > 3 ? 1 + Math.log2(line.repeats / 3) * 0.15 : 1
    values[index] = line.weight / (1 + before * 0.6) / crowd
  }
  return values
}

/** Lines around one that matters explain it: the few before it, and those after it up to the end of its paragraph. */
function addContext(
  lines: readonly ScannedLine[],
  own: Float64Array,
  raise: (index: number, value: number) => void,
): void {
  for (const [index, line] of lines.entries()) {
    const value = own[index]!
    if (value < 30 || line.signal === 'exit') continue
    const warning = line.signal === 'warning'
    let worth = value * (warning ? 0.4 : 0.85)
    for (let next = index + 1; next < lines.length && next <= index + 24; next++) {
      const gap = lines[next]!.number - lines[next - 1]!.number
      if (gap > 3) break
      if (gap > 1) worth *= 0.7
      raise(next, worth)
      worth *= isIndented(lines[next]!) ? 0.88 : 0.78
      if (worth < 5) break
    }
    if (warning) continue
    let before = value * 0.45
    for (let previous = index - 1; previous >= 0 && previous >= index - 3; previous--) {
      if (lines[previous + 1]!.number - lines[previous]!.number > 2) break
      raise(previous, before)
      before *= 0.6
    }
  }
}

function isIndented(line: ScannedLine): boolean {
  const code = line.text.charCodeAt(0)
  return code === 32 || code === 9
}

/** The last lines before a command failed are what it had to say. */
function addExits(lines: readonly ScannedLine[], raise: (index: number, value: number) => void): void {
  let exits = 0
  for (const [index, line] of lines.entries()) {
    if (line.signal !== 'exit' || line.weight < 90) continue
    if (exits++ >= EXITS) break
    let worth = 75 / exits
    for (let previous = index - 1; previous >= 0 && previous >= index - BEFORE_EXIT; previous--) {
      if (lines[previous + 1]!.number - lines[previous]!.number > 3) break
      raise(previous, worth)
      worth *= 0.94
    }
  }
}

/** The first lines say what the text is, the last ones how it ended. */
function addEnds(scan: TextScan, isError: boolean, raise: (index: number, value: number) => void): void {
  const lines = scan.kept
  let worth = 40
  for (let index = 0; index < lines.length && worth > 1; index++) {
    raise(index, worth)
    worth *= 0.85
  }
  worth = isError ? 95 : 80
  for (let index = lines.length - 1; index >= 0 && worth > 1; index--) {
    raise(index, worth)
    worth *= 0.92
  }
}
