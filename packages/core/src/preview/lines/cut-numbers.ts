import { cutNumber, findNumbering } from '../source/numbered-lines.ts'

/** Lines looked at. */
const LOOKED_AT = 40

/** How the lines of a text are written without the numbers that a tool has put before them. */
export interface NumberCut {
  /** What is added to the number of a line in the text to have the one written before it. */
  readonly shift: number
  readonly cut: (line: string) => string
}

/** Tell how the numbers before the lines of a text are cut; `undefined` where most of its first lines have none. */
export function numberCut(start: string): NumberCut | undefined {
  const lines = start.split('\n', LOOKED_AT)
  const numbering = findNumbering(lines)
  if (numbering === undefined) return undefined
  const cut = (line: string): string => cutNumber(line, numbering)
  const numbered = lines.filter((line) => cut(line) !== line).length
  return numbered >= lines.length * 0.8 ? { shift: numbering.shift, cut } : undefined
}

/** The beginning of a text without numbers before its lines. */
export function withoutNumbers(start: string): string {
  const numbers = numberCut(start)
  return numbers === undefined ? start : start.split('\n').map(numbers.cut).join('\n')
}
