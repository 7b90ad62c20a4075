import { commandBytesRead, commandPeakMB, runCommand } from '../speed/lib.mjs'
import type { NamedQuestion } from './patterns.ts'
import { CONTEXT_LINES } from './subjects/subject.ts'

/** Programs that are measured as whole processes, their start included. */
export type CommandName = 'GNU grep' | 'ripgrep' | 'sed' | 'head, tail'

/** A program and its arguments. */
export type Command = readonly [program: string, ...argv: string[]]

/** The programs that search. */
export const SEARCH_COMMANDS = ['GNU grep', 'ripgrep'] as const

/** Search a file for a pattern, with line numbers and context; or count its lines. */
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

/** Time a program, its start included. What it writes is read: by another program where it is much. */
export function timeCommand(command: Command, writesMuch = false): number {
  const [program, ...argv] = command
  return (writesMuch ? runCommand('sh', ['-c', '"$@" | cat >/dev/null', 'sh', ...command]) : runCommand(program, argv))
    .ms
}

/** Run a program for what it writes. */
export function outputOf([program, ...argv]: Command): string {
  return runCommand(program, argv).out
}

/** Megabytes of memory that a program takes at most; absent where GNU time is not installed. */
export const peakOf = ([program, ...argv]: Command): number | undefined => commandPeakMB(program, argv)

/** Bytes that a program reads; absent where strace is not installed. */
export const bytesReadBy = ([program, ...argv]: Command): number | undefined => commandBytesRead(program, argv)
