/** Checks the tarball of the package in the current folder, and installs it; here, checks the README of the root. */
import { join, relative } from 'node:path'
import { checkPackage } from '../test-run/src/check-package.ts'
import { isFull } from '../test-run/src/test-run.ts'
import { exists, isRunInstalled, ROOT } from './public-packages.ts'

const isOwn = process.cwd() === import.meta.dirname
const folder = isOwn ? '.' : relative(ROOT, process.cwd()).replaceAll('\\', '/')

await checkPackage({
  project: 'internal/packages',
  tests: [
    'readme-examples',
    ...(isOwn
      ? [
          'api-report',
          'compare-sizes',
          'licenses',
          'packed-imports',
          ...(isFull ? ['other-runtimes', 'rehearsal'] : []),
        ]
      : ['package-shape', ...(isFull ? ['resolved-types'] : [])]),
    ...installedBy(folder),
  ],
  env: { SPILLWAY_PACKAGES_OF: folder },
  report: join(process.cwd(), '.reports/packages.json'),
})

/**
 * Return tests that install the package of a folder. An adapter with a peer set for its oldest framework passes the
 * whole suite with it, so only a full run also installs it. The Claude Agent SDK contains too large a program.
 */
function installedBy(of: string): string[] {
  if (of.startsWith('packages/adapters/')) {
    const isWithOldest = of !== 'packages/adapters/claude-agent-sdk' && (isFull || !exists(of, 'peers'))
    return isWithOldest ? ['installed-adapters'] : []
  }
  const crossed = of === 'packages/storage/memory' || (isFull && /storage\/(?:file|sqlite)$/.test(of))
  return [...(isRunInstalled(of) ? ['installed-packages'] : []), ...(crossed ? ['crossed-versions'] : [])]
}
