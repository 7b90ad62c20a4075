import { perSubject } from '@spillway/text/internal'

export interface LineNumbering {
  /** First line with a number, 0-based. */
  readonly from: number
  /** Character after the number: a tab as in `cat -n` and `nl`, or an arrow, a colon, or a bar. */
  readonly mark: string
  readonly spaced: boolean
  /** Difference between the number in the text and the line of the text. */
  readonly shift: number
}

const MARKS = '\t→:|'
const LEAST_LINES = 3
/** Largest number of lines before the first line with a number. */
const MOST_BEFORE = 24

interface Numbered {
  readonly number: number
  readonly mark: string
  readonly rest: string
}

/** Finds consecutive line numbers, as written by `cat -n`, `nl`, `grep -n ''`, or an agent's tool. */
export function findNumbering(lines: readonly string[]): LineNumbering | undefined {
  for (let from = 0; from <= Math.min(MOST_BEFORE, lines.length - LEAST_LINES); from++) {
    const first = numbered(lines[from]!)
    // Most other numbers are not continued in the next line.
    if (first === undefined || !follows(numbered(lines[from + 1]!), first, 1)) continue
    const sample = lines.slice(from, from + 48).map(numbered)
    const ended = sample.findIndex((line, index) => !follows(line, first, index))
    const run = ended < 0 ? sample : sample.slice(0, ended)
    // Line numbers in a compiler's excerpt cover only a few lines.
    if (run.length < Math.max(LEAST_LINES, sample.length * 0.9)) continue
    const spaced = first.mark !== '\t' && run.every((line) => line!.rest === '' || line!.rest.startsWith(' '))
    return { from, mark: first.mark, spaced, shift: first.number - from - 1 }
  }
  return undefined
}

/** Returns the length of the number and its mark, or 0 if there is no number. */
export function numberLength(text: string, start: number, end: number, { mark, spaced }: LineNumbering): number {
  const found = numberedWith(text, start, mark)
  if (found < 0 || found > end) return 0
  return (spaced && found < end && text.charCodeAt(found) === 32 ? found + 1 : found) - start
}

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

/** Returns the position after the number, or -1 if there is no number. */
function numberedWith(text: string, start: number, mark: string): number {
  let at = start
  while (at < start + 12 && text.charCodeAt(at) === 32) at++
  const digits = at
  while (at < digits + 8 && isDigit(text.charCodeAt(at))) at++
  if (at === digits) return -1
  if (mark === '|' && text.charCodeAt(at) === 32) at++
  return text.charCodeAt(at) === mark.charCodeAt(0) ? at + 1 : -1
}

const LOOKED_AT = 40

interface NumberCut extends Pick<LineNumbering, 'shift'> {
  readonly cut: (line: string) => string
}

/** Returns a note for the header if the text has line numbers of a file that differ from its own line numbers. */
export function numberNote(numbers: NumberCut | undefined): string[] {
  return numbers === undefined || numbers.shift === 0 ? [] : [`line 1 is ${1 + numbers.shift} of the file`]
}

/** Returns `undefined` if most of the first lines have no number. */
export function numberCut(start: string): NumberCut | undefined {
  const lines = start.split('\n', LOOKED_AT)
  const numbering = findNumbering(lines)
  if (numbering === undefined) return undefined
  const mark = numbering.mark.charCodeAt(0)
  // Most numbers have the same width as the previous number.
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

/** Returns the lines in the start of a text, without their numbers. */
export const withoutNumbers: (subject: { readonly start: string }) => readonly string[] = perSubject(({ start }) => {
  const numbers = numberCut(start)
  const lines = start.split('\n')
  return numbers === undefined ? lines : lines.map(numbers.cut)
})

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}
