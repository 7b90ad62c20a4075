import { safeForTerminal } from './format.ts'
import { style } from './output.ts'

/** Bring out the lines that match, where the terminal has colours; stored content cannot do more to it than that. */
export function highlight(answer: string): string {
  const shown = process.stdout.isTTY ? safeForTerminal(answer) : answer
  return shown.replace(
    /^(> *\d+\|)(.*)$/gm,
    (_, number: string, line: string) => `${style('green', number)}${style('bold', line)}`,
  )
}
