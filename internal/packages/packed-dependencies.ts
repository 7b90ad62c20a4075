import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRunInstalled, listPublicPackages, ROOT, tarballOf, type PublicPackage } from './public-packages.ts'
import { readTarball } from './tarball-registry.ts'

/** Path of the list that {@link writePackedDependencies} writes, below the folder of a package. Turbo reads it. */
export const PACKED_DEPENDENCIES = '.reports/packed-dependencies.txt'

/**
 * Write, for each package, hashes of the packed packages that its checks install. Of a dependency only the manifest and the
 * declarations count, except for packages whose checks run what they install: tests run the same code from sources.
 */
export function writePackedDependencies(): void {
  const packages = listPublicPackages()
  const hashes = new Map(packages.map((one) => [one, hashesOf(tarballOf(one.folder))]))
  for (const one of packages) {
    const isRun = isRunInstalled(one.folder)
    write(one.folder, reachedBy(one, packages), (reached) => hashes.get(reached)?.[isRun || reached === one ? 0 : 1])
  }
  write('internal/packages', packages, (reached) => hashes.get(reached)?.[0])
}

function write(
  folder: string,
  reached: Iterable<PublicPackage>,
  hashOf: (reached: PublicPackage) => string | undefined,
): void {
  const path = join(ROOT, folder, PACKED_DEPENDENCIES)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, [...reached].map((one) => `${hashOf(one) ?? 'not packed'} ${one.name}\n`).join(''))
}

/** List a package and all packages of the workspace that it depends on, also by others and for its tests. */
function reachedBy(start: PublicPackage, packages: readonly PublicPackage[]): Set<PublicPackage> {
  const reached = new Set([start])
  for (const { manifest } of reached)
    for (const field of ['dependencies', 'peerDependencies', 'devDependencies'])
      for (const one of packages) if (one.name in Object(manifest[field])) reached.add(one)
  return reached
}

/** Hash all files of a tarball, and only its manifest and its declarations without comments. */
function hashesOf(tarball: string): readonly [string, string] | undefined {
  if (!existsSync(tarball)) return undefined
  const [all, interfaces] = [createHash('sha256'), createHash('sha256')]
  for (const [path, content] of readTarball(readFileSync(tarball))) {
    all.update(`${path} ${content.length}\n`).update(content)
    if (/^package\.json$|\.d\.ts$/.test(path))
      interfaces.update(`${path}\n`).update(content.toString().replaceAll(/\/\*[^]*?\*\//g, ''))
  }
  return [all.digest('hex'), interfaces.digest('hex')]
}
