import type { Command } from 'commander'

/** One use of a command. */
export interface Invocation<Options> {
  /** Its arguments, several in one list. */
  readonly args: readonly string[]
  readonly options: Options
  readonly command: Command
}

/** Let a command call `run`, and the process exit with the code that it returns. */
export function action<Options>(command: Command, run: (invocation: Invocation<Options>) => Promise<number>): void {
  command.action(async () => {
    process.exitCode = await run({ args: command.args, options: command.opts() as Options, command })
  })
}
