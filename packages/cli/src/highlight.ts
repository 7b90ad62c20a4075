import { style } from './output.ts'

/** Highlight the lines that match, if the terminal has colors. */
export function highlight(answer: string): string {
  return answer.replace(
    /^(> *\d+\|)(.*)$/gm,
    (_, number: string, line: string) => `${style('green', number)}${style('bold', line)}`,
  )
}
