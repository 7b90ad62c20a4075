import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRunInstalled, listPublicPackages, ROOT, tarballOf, withDependencies } from './public-packages.ts'
import { readTarball } from './tarball-registry.ts'

/** Path of the list that {@link writePackedDependencies} writes, below the folder of a package. Turbo reads it. */
export const PACKED_DEPENDENCIES = '.reports/packed-dependencies.txt'

const FIELDS = ['dependencies', 'peerDependencies', 'devDependencies']

/**
 * Write, for each package, hashes of the packed packages that its checks install. Of a dependency only the manifest and the
 * declarations count, except for packages whose checks run what they install: tests run the same code from sources.
 */
export function writePackedDependencies(): void {
  const packages = listPublicPackages()
  const hashes = new Map(packages.map(({ name, folder }) => [name, hashesOf(tarballOf(folder))]))
  for (const one of packages) {
    const isRun = isRunInstalled(one.folder)
    const reached = withDependencies([one], FIELDS).map(({ name }) => name)
    write(
      one.folder,
      reached.map((name) => `${hashes.get(name)?.[isRun || name === one.name ? 'all' : 'interface']} ${name}`),
    )
  }
  write(
    'internal/packages',
    packages.map(({ name }) => `${hashes.get(name)?.all} ${name}`),
  )
}

function write(folder: string, lines: readonly string[]): void {
  const path = join(ROOT, folder, PACKED_DEPENDENCIES)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.join('\n')}\n`)
}

/** Hash all files of a tarball, and only its manifest and its declarations without comments. */
function hashesOf(tarball: string): { readonly all: string; readonly interface: string } {
  if (!existsSync(tarball)) return { all: 'not packed', interface: 'not packed' }
  const [all, declared] = [createHash('sha256'), createHash('sha256')]
  for (const [path, content] of readTarball(readFileSync(tarball))) {
    all.update(`${path} ${content.length}\n`).update(content)
    if (/^package\.json$|\.d\.ts$/.test(path))
      declared.update(`${path}\n`).update(content.toString().replaceAll(/\/\*[^]*?\*\//g, ''))
  }
  return { all: all.digest('hex'), interface: declared.digest('hex') }
}
