import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Build all packages, and let processes that are started later load the builds, like users do. Sources would be
 * stripped of types on first use, which takes several times as long as a first call.
 */
export function useBuiltPackages(): void {
  execFileSync('pnpm', ['exec', 'turbo', 'run', 'build'], {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'ignore',
    shell: process.platform === 'win32',
  })
  const loader = new URL('load-built-packages.mjs', import.meta.url).href
  process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --import ${loader}`
}
