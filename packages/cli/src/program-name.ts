import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { unlessRefused } from './unless-refused.ts'

/** The command that starts this program in the user's shell. */
export const programName = (): string =>
  process.env['npm_command'] === 'exec' && !isOnPath('spillway') ? 'npx @spillway/cli' : 'spillway'

/** Return whether a shell finds the program of a command. */
export function isOnPath(command: string): boolean {
  const [program = ''] = command.split(' ', 1)
  // npx and `pnpm exec` add these folders only for the program that they start.
  const isLasting = (folder: string): boolean => !/[\\/]node_modules[\\/]\.bin$/.test(folder)
  const folders = /[\\/]/.test(program) ? [''] : (process.env['PATH'] ?? '').split(delimiter).filter(isLasting)
  const names = process.platform === 'win32' ? [program, `${program}.cmd`, `${program}.exe`] : [program]
  const isExecutable = (path: string): boolean => unlessRefused(() => accessSync(path, constants.X_OK) ?? true) === true
  return folders.some((folder) => names.some((name) => isExecutable(join(folder, name))))
}
