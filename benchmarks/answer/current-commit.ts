import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Return the current commit, or the last commit that changed a path. */
export function currentCommit(path?: string): string {
  const args = path === undefined ? ['rev-parse', '--short', 'HEAD'] : ['log', '-1', '--format=%h', '--', path]
  return execFileSync('git', args, { cwd: FOLDER, encoding: 'utf8' }).trim()
}
