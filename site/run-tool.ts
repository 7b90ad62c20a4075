import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const HERE = import.meta.dirname

/** Run a tool of the site. Throws if it fails. */
export function runTool(name: string, args: readonly string[]): void {
  const { status } = spawnSync(join(HERE, 'node_modules/.bin', name), args, { cwd: HERE, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${name} ended with ${status}.`)
}
