import { Command, CommanderError } from 'commander'
import { addCommand } from '../commands/command.ts'
import { hookCommand } from '../commands/services.ts'
import { EXIT_CODE } from '../cli-error.ts'

const INSTALLER = /^(?:install|uninstall|undo|status|--help|-h)$/

/** Run only `spillway hook`. A failure exits with 1, which the host shows to the user; it shows 2 to the model. */
export async function main(args: readonly string[]): Promise<number> {
  const program = new Command('spillway')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => {}, writeOut: () => {} })
  addCommand(program, hookCommand)
  const { exitCode } = process
  let code: number
  try {
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? EXIT_CODE.ok)
  } catch (error) {
    const whole = await import('../cli.ts')
    process.exitCode = exitCode
    code = error instanceof CommanderError ? await whole.main(args) : await whole.reportError(error, args)
  }
  const isHook = args.length > 1 && !args.some((word) => INSTALLER.test(word))
  return isHook ? Math.min(code, 1) : code
}
