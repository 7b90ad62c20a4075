import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '../..')

const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } }

/** The oldest version of Node.js that the workspace and all packages support, such as `22.14`. */
export const OLDEST_NODE: string = engines.node.replace('>=', '')

/** A package that is published. */
export interface PublicPackage {
  readonly name: string
  /** Relative to the root, such as `packages/storage/file`. */
  readonly folder: string
  readonly manifest: Readonly<Record<string, unknown>>
}

/** List the packages of the workspace that are published, by the order of their folders. */
export function listPublicPackages(): PublicPackage[] {
  const found = globSync(['packages/*/package.json', 'packages/{storage,adapters}/*/package.json'], { cwd: ROOT })
  return found
    .toSorted()
    .map((path) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, unknown>
      return { name: String(manifest['name']), folder: dirname(path).replaceAll('\\', '/'), manifest }
    })
    .filter(({ manifest }) => manifest['private'] !== true)
}

/** Whether the checks of a package install it and run it as users do, beyond the examples of its README. */
export function isRunInstalled(folder: string): boolean {
  return /^packages\/(?:storage\/(?:memory|file)|previews|cli)$/.test(folder)
}

/** List the READMEs that users of published packages read: the root's, and that of each package. */
export function listReadmes(): string[] {
  return ['README.md', ...listPublicPackages().map(({ folder }) => `${folder}/README.md`)]
}

/**
 * Choose what is tested of the package that `SPILLWAY_PACKAGES_OF` names by its path from the root (`.` for the root itself):
 * all, if the variable is not set. Throws if nothing is left.
 */
export function chosen<Item>(items: readonly Item[], folderOf: (item: Item) => string): Item[] {
  const of = process.env['SPILLWAY_PACKAGES_OF']
  const wanted = items.filter((item) => of === undefined || folderOf(item) === of)
  if (wanted.length === 0) throw new Error(`Nothing is tested of "${of}" here. Is it a package's path from the root?`)
  return wanted
}

/** The path of a package's tarball, which pack.ts writes. */
export function tarballOf(folder: string): string {
  return join(ROOT, folder, '.reports/package.tgz')
}

/** Whether a path below the root exists. */
export function exists(...path: string[]): boolean {
  return existsSync(join(ROOT, ...path))
}
