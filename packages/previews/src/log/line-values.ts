import { isForeignFrame } from './line-frame.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

/** What a line is shown for. */
export const BETWEEN = 0
export const START = 1
export const END = 2

/** How much each kept line is worth showing, and for what, in the order of the lines. */
export interface LineValues {
  readonly values: Float64Array
  /** {@link START} and {@link END} for lines worth something for standing there, {@link BETWEEN} for others. */
  readonly parts: Uint8Array
}

/** Lines before a failed command's end that are worth something for standing there. */
const BEFORE_EXIT = 40
/** Ends of failed commands that lend worth to the lines before them. */
const EXITS = 3
/** Lines after one that matters that are looked at for what belongs to it. */
const AFTER = 30
/** What a line is worth for each bit of surprise. */
const SURPRISE_WORTH = 6.5

/** A rule, a level with nothing after it, or a mark that a CI system folds or times its output by. */
const EMPTY = /^\W*(?:\[?[A-Za-z]{1,12}\]\W*)?$|^\W*\w{1,2}$|^travis_(?:fold|time):\S*$|^##\[endgroup\]$/

/** A shorter message is no message of its own, in UTF-16 units with what stands before it. */
const LEAST_MESSAGE = 32

/** What a line is still worth where the same line stands elsewhere, or where it leads through code of others. */
const REPEATED = 0.6
const FOREIGN = 0.5
/** What each next line of a run of lines that are alike is worth of the one before. */
const RUN = 0.6

/** Lines of this weight name what failed: there may be many, each worth knowing. */
const SURE = 85
/** So many lines that say the same are still worth being told apart. */
const FEW = 6

/** How much less a line tells for each doubling of the lines like it. */
const COMMON = 0.2

/** The first failure may cause those after it: how much more it is worth, and how much less more each next one. */
const FIRST = 0.2

type Raise = (index: number, value: number, part?: number) => void

/** How much each kept line of a program's output is worth showing. */
export function lineValues(scan: TextScan, isError: boolean): LineValues {
  const lines = scan.kept
  const own = ownValues(lines)
  const values = own.slice()
  const parts = new Uint8Array(lines.length)
  const raise: Raise = (index, value, part = BETWEEN) => {
    const had = values[index]!
    const worth = value * commonness(lines[index]!)
    if (worth > had) parts[index] = part
    values[index] = worth > had ? worth + had * 0.2 : had + worth * 0.2
  }
  addContext(lines, own, raise)
  const ended = addExits(lines, raise)
  addEnds(lines, isError, ended, raise)
  for (const [index, line] of lines.entries()) {
    if (EMPTY.test(line.text)) values[index] = values[index]! * 0.05
    else if (values[index]! > 1 && isForeignFrame(line.text)) values[index] = values[index]! * FOREIGN
  }
  lowerRepeats(lines, values)
  lowerRuns(lines, values, parts)
  return { values, parts }
}

/** Of lines that say the same, the one worth most stays so. */
function lowerRepeats(lines: readonly ScannedLine[], values: Float64Array): void {
  const best = new Map<string, number>()
  const said = lines.map((line) => essence(line))
  for (const [index, text] of said.entries()) {
    const known = best.get(text)
    if (known === undefined || values[index]! > values[known]!) best.set(text, index)
  }
  for (const [index, line] of lines.entries()) {
    const isRepeated = best.get(said[index]!) !== index && line.text.length > 12
    if (isRepeated) values[index] = values[index]! * REPEATED
  }
}

/** Of a run of like lines, the first ones stay worth most; at the end of the text, the last ones. */
function lowerRuns(lines: readonly ScannedLine[], values: Float64Array, parts: Uint8Array): void {
  const continues = (index: number): boolean => {
    const previous = lines[index - 1]
    return previous !== undefined && previous.run > 1 && previous.number === lines[index]!.number - 1
  }
  let run = 1
  for (let index = 0; index < lines.length; index++) {
    run = continues(index) ? run * RUN : 1
    if (parts[index] !== END) values[index] = values[index]! * run
  }
  run = 1
  for (let index = lines.length - 1; index >= 0; index--) {
    if (parts[index] === END) values[index] = values[index]! * run
    run = continues(index) ? run * RUN : 1
  }
}

/** What a line says: of an error, the message alone, which its causes repeat. */
function essence({ text, signal }: ScannedLine): string {
  if (signal !== 'error' && signal !== 'cause') return text
  const start = Math.max(text.lastIndexOf('Exception: '), text.lastIndexOf('Error: '))
  return start < 0 || text.length - start < LEAST_MESSAGE ? text : text.slice(text.indexOf(' ', start) + 1)
}

/** Lines that begin as hundreds of others do tell little about what stands beside them. */
function commonness(line: ScannedLine): number {
  return line.alike <= 16 || line.weight >= 50 ? 1 : 1 / (1 + Math.log2(line.alike / 16) * COMMON)
}

/** What a line is worth by itself: less for each like line before it, more for a line unlike all others. */
function ownValues(lines: readonly ScannedLine[]): Float64Array {
  const seen = new Map<number, number>()
  const values = new Float64Array(lines.length)
  let strongs = 0
  const strong = lines.some((line) => line.weight >= 85 && line.signal !== 'exit')
  for (const [index, line] of lines.entries()) {
    const surprise = line.surprise * SURPRISE_WORTH * (strong ? 0.5 : 1)
    if (line.weight === 0) {
      values[index] = surprise
      continue
    }
    const before = seen.get(line.template) ?? 0
    seen.set(line.template, before + 1)
    const crowd = line.crowd > FEW ? 1 + Math.log2(line.crowd / FEW) * (line.weight >= SURE ? 0.15 : 0.6) : 1
    // Beside real failures, a word that only sounds like one means less.
    const doubt = strong && line.weight < 72 ? 0.75 : 1
    const worth = (line.weight * doubt) / (1 + before * 0.6) / crowd
    const first = line.weight >= 60 && line.signal !== 'exit' ? 1 + FIRST / ++strongs : 1
    values[index] = Math.max(worth * first, surprise) + Math.min(worth, surprise) * 0.2
  }
  return values
}

/** Lines around one that matters explain it: the few before it, and those after it up to the end of its paragraph. */
function addContext(lines: readonly ScannedLine[], own: Float64Array, raise: Raise): void {
  for (const [index, line] of lines.entries()) {
    const value = own[index]!
    if (value < 25 || line.signal === 'exit') continue
    const warning = line.signal === 'warning'
    let worth = value * (warning ? 0.7 : line.heads ? 0.97 : 0.85)
    for (let next = index + 1; next < lines.length && next <= index + AFTER; next++) {
      const gap = lines[next]!.number - lines[next - 1]!.number
      if (gap > 3) break
      if (gap > 1) worth *= next === index + 1 ? 0.9 : 0.6
      raise(next, worth)
      worth *= line.heads ? 0.95 : isIndented(lines[next]!) ? 0.88 : 0.74
      if (worth < 5) break
    }
    if (warning) continue
    let before = value * 0.45
    for (let previous = index - 1; previous >= 0 && previous >= index - 4; previous--) {
      const gap = lines[previous + 1]!.number - lines[previous]!.number
      if (gap > 2) break
      if (gap > 1) before *= 0.7
      raise(previous, before)
      before *= 0.65
    }
  }
}

function isIndented(line: ScannedLine): boolean {
  const code = line.text.charCodeAt(0)
  return code === 32 || code === 9
}

/** The last lines before a command failed are what it had to say. Returns whether there were such, away from the end. */
function addExits(lines: readonly ScannedLine[], raise: Raise): boolean {
  let exits = 0
  let ended = false
  for (const [index, line] of lines.entries()) {
    if (line.signal !== 'exit' || line.weight < 90) continue
    if (exits++ >= EXITS) break
    if (index < lines.length - 3) ended = true
    let worth = 78 / exits
    for (let previous = index - 1; previous >= 0 && previous >= index - BEFORE_EXIT; previous--) {
      if (lines[previous + 1]!.number - lines[previous]!.number > 3) break
      raise(previous, worth)
      if (!EMPTY.test(lines[previous]!.text)) worth *= 0.94
    }
  }
  return ended
}

/** The first lines say what the text is, the last ones how it ended. */
function addEnds(lines: readonly ScannedLine[], isError: boolean, ended: boolean, raise: Raise): void {
  let worth = 62
  for (let index = 0; index < lines.length && worth > 1; index++) {
    raise(index, worth, START)
    worth *= 0.72
  }
  worth = isError ? 95 : ended ? 60 : 85
  for (let index = lines.length - 1; index >= 0 && worth > 1; index--) {
    raise(index, worth, END)
    if (!EMPTY.test(lines[index]!.text)) worth *= ended ? 0.8 : 0.95
  }
}
