import { isDigit } from './is-digit.ts'
import { cutNumber, findNumbering } from './numbered-lines.ts'

/** Lines looked at. */
const LOOKED_AT = 40

/** How the lines of a text are written without the numbers that a tool has put before them. */
export interface NumberCut {
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
