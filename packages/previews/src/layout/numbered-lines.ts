/** How a tool writes the number of a line before it. */
export interface LineNumbering {
  /** The first line of the text that has a number, 0-based. */
  readonly from: number
  /** The character after the number: `cat -n` and `nl` write a tab, others an arrow, a colon or a bar. */
  readonly mark: string
  /** Whether a blank follows the mark. */
  readonly spaced: boolean
  /** What to add to the number of a line in the text to have the one written before it. */
  readonly shift: number
}

const MARKS = '\t→:|'
/** Lines that must be numbered in a row. */
const LEAST_LINES = 3
/** Lines that a tool may write before the first numbered one. */
const MOST_BEFORE = 24

interface Numbered {
  readonly number: number
  readonly mark: string
  readonly rest: string
}

/** Find the numbers that `cat -n`, `nl`, `grep -n ''` or an agent's tool wrote before the lines; they count up by one. */
export function findNumbering(lines: readonly string[]): LineNumbering | undefined {
  for (let from = 0; from <= Math.min(MOST_BEFORE, lines.length - LEAST_LINES); from++) {
    const sample = lines.slice(from, from + 48).map(numbered)
    const first = sample[0]
    if (first === undefined) continue
    const ended = sample.findIndex((line, index) => !follows(line, first, index))
    const run = ended < 0 ? sample : sample.slice(0, ended)
    // The numbers in an excerpt that a compiler shows end soon.
    if (run.length < Math.max(LEAST_LINES, sample.length * 0.9)) continue
    const spaced = first.mark !== '\t' && run.every((line) => line!.rest === '' || line!.rest.startsWith(' '))
    return { from, mark: first.mark, spaced, shift: first.number - from - 1 }
  }
  return undefined
}

/** The length of the number before the line at an offset of a text, with the mark after it; 0 where there is none. */
export function numberLength(text: string, start: number, end: number, { mark, spaced }: LineNumbering): number {
  const found = numberedWith(text, start, mark)
  if (found < 0 || found > end) return 0
  return (spaced && found < end && text.charCodeAt(found) === 32 ? found + 1 : found) - start
}

/** Return a line without the number before it; a line without one stays as it is. */
export function cutNumber(line: string, numbering: LineNumbering): string {
  return line.slice(numberLength(line, 0, line.length, numbering))
}

function follows(line: Numbered | undefined, first: Numbered, index: number): boolean {
  return line?.number === first.number + index && line.mark === first.mark
}

function numbered(line: string): Numbered | undefined {
  for (const mark of MARKS) {
    const at = numberedWith(line, 0, mark)
    if (at > 0) return { number: Number.parseInt(line.slice(0, at), 10), mark, rest: line.slice(at, at + 8) }
  }
  return undefined
}

/** Where the code of a line starts, or -1 where no number and mark stand before it. */
function numberedWith(text: string, start: number, mark: string): number {
  let at = start
  while (at < start + 12 && text.charCodeAt(at) === 32) at++
  const digits = at
  while (at < digits + 8 && isDigit(text.charCodeAt(at))) at++
  if (at === digits) return -1
  if (mark === '|' && text.charCodeAt(at) === 32) at++
  return text.charCodeAt(at) === mark.charCodeAt(0) ? at + 1 : -1
}

/** Lines looked at. */
const LOOKED_AT = 40

/** How the lines of a text are written without the numbers that a tool has put before them. */
interface NumberCut {
  /** What is added to the number of a line in the text to have the one written before it. */
  readonly shift: number
  readonly cut: (line: string) => string
}

/** Say in a header how the numbers of a preview are those of the file, where they are not. */
export function numberNote(numbers: NumberCut | undefined): string[] {
  return numbers === undefined || numbers.shift === 0 ? [] : [`line 1 is ${1 + numbers.shift} of the file`]
}

/** Tell how the numbers before the lines of a text are cut; `undefined` where most of its first lines have none. */
export function numberCut(start: string): NumberCut | undefined {
  const lines = start.split('\n', LOOKED_AT)
  const numbering = findNumbering(lines)
  if (numbering === undefined) return undefined
  const mark = numbering.mark.charCodeAt(0)
  // Numbers are mostly as wide as the one before.
  let width = 0
  const cut = (line: string): string => {
    if (!numbering.spaced && width > 1 && line.charCodeAt(width - 1) === mark && isDigit(line.charCodeAt(width - 2)))
      return line.slice(width)
    const rest = cutNumber(line, numbering)
    width = line.length - rest.length
    return rest
  }
  const numbered = lines.filter((line) => cut(line) !== line).length
  return numbered >= lines.length * 0.8 ? { shift: numbering.shift, cut } : undefined
}

/** The beginning of a text without numbers before its lines. */
export function withoutNumbers(start: string): string {
  const numbers = numberCut(start)
  return numbers === undefined ? start : start.split('\n').map(numbers.cut).join('\n')
}

/** Whether a UTF-16 unit is a digit from 0 to 9. */
export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}
