/** Checks the tarball of the package in whose folder it is run, and installs it in an empty project. */
import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { ROOT } from './public-packages.ts'

const FOLDER = process.cwd()
const folder = relative(ROOT, FOLDER).replaceAll('\\', '/')
const tests = ['package-shape', ...installedBy(folder)]

const { status, error } = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--project', 'internal/packages'],
    ...tests.map((name) => `internal/packages/${name}.test.ts`),
  ],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      SPILLWAY_PACKAGES_OF: folder,
      SPILLWAY_REPORT: join(FOLDER, '.reports/packages.json'),
    },
  },
)
if (error !== undefined) throw error
process.exit(status ?? 1)

/** The tests that install the package of a folder. The Claude Agent SDK brings a program that is too large to install. */
function installedBy(of: string): string[] {
  if (['packages/storage/memory', 'packages/storage/file', 'packages/cli'].includes(of)) return ['installed-packages']
  return of.startsWith('packages/adapters/') && of !== 'packages/adapters/claude-agent-sdk'
    ? ['installed-adapters']
    : []
}
