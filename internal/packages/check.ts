/** Checks the tarball of the package in whose folder it is run, and installs it in an empty project; in this folder, the root's README. */
import { join, relative } from 'node:path'
import { checkPackage } from '../test-run/src/check-package.ts'
import { ROOT } from './public-packages.ts'

const isOwn = process.cwd() === import.meta.dirname
const folder = isOwn ? '.' : relative(ROOT, process.cwd()).replaceAll('\\', '/')

checkPackage({
  project: 'internal/packages',
  tests: [
    'readme-examples',
    ...(isOwn ? ['compare-sizes', 'required-entries'] : ['package-shape']),
    ...installedBy(folder),
  ],
  env: { SPILLWAY_PACKAGES_OF: folder },
  report: join(process.cwd(), '.reports/packages.json'),
})

/** The tests that install the package of a folder. The Claude Agent SDK brings a program that is too large to install. */
function installedBy(of: string): string[] {
  if (['packages/storage/memory', 'packages/storage/file', 'packages/previews', 'packages/cli'].includes(of))
    return ['installed-packages']
  return of.startsWith('packages/adapters/') && of !== 'packages/adapters/claude-agent-sdk'
    ? ['installed-adapters']
    : []
}
