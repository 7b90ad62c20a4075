import { style } from './output.ts'

/** Bring out the lines that match, where the terminal has colours. */
export const highlight = (answer: string): string =>
  answer.replace(
    /^(> *\d+\|)(.*)$/gm,
    (_, number: string, line: string) => `${style('green', number)}${style('bold', line)}`,
  )
