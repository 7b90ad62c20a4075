import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpackPackages } from '../../internal/packages/published-layout.ts'
import { listPublicPackages, ROOT } from '../../internal/packages/public-packages.ts'

const MEASURED = ['@spillway/core', '@spillway/memory', '@spillway/previews', '@spillway/text']

/** Copy a module to a new folder in which the packages are as users install them, and return its path there. */
export function besidePublishedPackages(module: string): string {
  execFileSync('pnpm', ['exec', 'turbo', 'run', 'tarball', ...MEASURED.map((name) => `--filter=${name}`)], {
    cwd: ROOT,
    stdio: 'ignore',
    shell: process.platform === 'win32',
  })
  const folder = unpackPackages(listPublicPackages().filter(({ name }) => MEASURED.includes(name)))
  const copy = join(folder, 'measured.ts')
  copyFileSync(module, copy)
  return copy
}
