import { cleanLine, cutWithMark } from '@spillway/text/internal'

const LONGEST_LINE = 160

/** Write a line that is not part of the structure of a text, such as a message of a program, with its line number. */
export const foreignLine = (line: number, text: string): string =>
  `${line}| ${cutWithMark(cleanLine(text), LONGEST_LINE)}`
