import { commandBytesRead, commandPeakMB, runCommand } from '../speed/lib.mjs'
import type { NamedQuestion } from './patterns.ts'
import { CONTEXT_LINES } from './subjects/subject.ts'

/** Programs that are measured as whole processes, including their start. */
export type CommandName = 'GNU grep' | 'ripgrep' | 'sed' | 'head, tail'

/** A program and its arguments. */
export type Command = readonly [program: string, ...argv: string[]]

/** Programs that search. */
export const SEARCH_COMMANDS = ['GNU grep', 'ripgrep'] as const

/** Return the command that searches a file for a pattern, with line numbers and context, or that counts lines. */
export function searchCommand(
  name: (typeof SEARCH_COMMANDS)[number],
  { pattern, posix, ignoreCase }: NamedQuestion,
  file: string,
  { isCount = false, isCrlf = false } = {},
): Command {
  const output = isCount ? ['-c'] : ['-n', `-C${CONTEXT_LINES}`]
  const caseOption = ignoreCase === true ? ['-i'] : []
  return name === 'GNU grep'
    ? ['grep', '-E', ...output, ...caseOption, '-e', posix ?? pattern, file]
    : [
        'rg',
        '--no-config',
        '--color=never',
        ...output,
        ...caseOption,
        ...(isCrlf ? ['--crlf'] : []),
        '-e',
        pattern,
        file,
      ]
}

/** Return the time of a program, including its start. Another program reads its output if that is large. */
export function timeCommand(command: Command, writesMuch = false): number {
  const [program, ...argv] = command
  return (writesMuch ? runCommand('sh', ['-c', '"$@" | cat >/dev/null', 'sh', ...command]) : runCommand(program, argv))
    .ms
}

/** Run a program. Returns its output. */
export function outputOf([program, ...argv]: Command): string {
  return runCommand(program, argv).out
}

/** Return the peak memory of a program in megabytes; `undefined` if GNU time is not installed. */
export const peakOf = ([program, ...argv]: Command): number | undefined => commandPeakMB(program, argv)

/** Return the bytes that a program reads; `undefined` if strace is not installed. */
export const bytesReadBy = ([program, ...argv]: Command): number | undefined => commandBytesRead(program, argv)
