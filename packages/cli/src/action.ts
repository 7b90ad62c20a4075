import type { Command } from 'commander'

export interface Invocation<Options> {
  readonly args: readonly string[]
  readonly options: Options
  readonly command: Command
}

/** Register the function of a command, whose result is the exit code; `load` imports it on first use. */
export function action<Options>(
  command: Command,
  load: () => Promise<(invocation: Invocation<Options>) => Promise<number>>,
): void {
  command.action(async () => {
    const run = await load()
    process.exitCode = await run({ args: command.args, options: command.opts() as Options, command })
  })
}
