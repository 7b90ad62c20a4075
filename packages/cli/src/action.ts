import type { Command } from 'commander'

/** One use of a command. */
export interface Invocation<Options> {
  /** Its arguments, several in one list. */
  readonly args: readonly string[]
  readonly options: Options
  readonly command: Command
}

/**
 * Let a command run a function of `actions/`, and the process exit with the code that the function returns. `load` imports
 * the function on first use, so that help and errors of usage load no storage.
 */
export function action<Options>(
  command: Command,
  load: () => Promise<(invocation: Invocation<Options>) => Promise<number>>,
): void {
  command.action(async () => {
    const run = await load()
    process.exitCode = await run({ args: command.args, options: command.opts() as Options, command })
  })
}
