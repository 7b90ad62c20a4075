/**
 * Packs public packages that are built: `node internal/packages/pack.ts packages/core` writes the tarball of one
 * package to `packages/core/.reports/package.tgz`.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { listPublicPackages, ROOT, tarballOf } from './public-packages.ts'

/** Build and pack all public packages before the tests, unless the tests use packages that are already packed. */
export async function setup(): Promise<void> {
  if (process.env['SPILLWAY_PACKAGES_OF'] !== undefined || process.env['SPILLWAY_REGISTRY'] !== undefined) return
  await pnpm('.', 'run', 'build')
  await Promise.all(listPublicPackages().map(({ folder }) => pack(folder)))
}

async function pack(folder: string): Promise<void> {
  const tarball = tarballOf(folder)
  rmSync(tarball, { force: true })
  mkdirSync(dirname(tarball), { recursive: true })
  await pnpm(folder, 'pack', '--silent', '--out', tarball)
}

async function pnpm(folder: string, ...args: string[]): Promise<void> {
  await promisify(execFile)('pnpm', args, { cwd: join(ROOT, folder), shell: process.platform === 'win32' })
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('No package given. Give its path from the root.')
  await pack(folder)
}
