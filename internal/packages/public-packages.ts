import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '../..')

const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } }

/** The oldest version of Node.js that the workspace and all packages support, for example `22.14`. */
export const OLDEST_NODE: string = engines.node.replace('>=', '')

/** A published package. */
export interface PublicPackage {
  readonly name: string
  /** Path relative to the root, for example `packages/storage/file`. */
  readonly folder: string
  readonly manifest: Readonly<Record<string, unknown>>
}

/** List the published packages of the workspace, sorted by folder. */
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

/** List packages, and all packages that they depend on, also through others, by these fields of their manifests. */
export function withDependencies(start: readonly PublicPackage[], fields: readonly string[]): PublicPackage[] {
  const packages = listPublicPackages()
  const found = new Map(start.map((one) => [one.name, one]))
  // The loop also visits packages that are added during the loop.
  for (const { manifest } of found.values())
    for (const name of fields.flatMap((field) => Object.keys(manifest[field] ?? {})))
      for (const one of packages) if (one.name === name && !found.has(name)) found.set(name, one)
  return [...found.values()]
}

/** List the READMEs for users of published packages: the README of the root, and of each package. */
export function listReadmes(): string[] {
  return ['README.md', ...listPublicPackages().map(({ folder }) => `${folder}/README.md`)]
}

/**
 * Select the items of the package that `SPILLWAY_PACKAGES_OF` names by its path from the root (`.` for the root
 * itself). Without the variable, all items are selected. Throws if no item is selected.
 */
export function chosen<Item>(items: readonly Item[], folderOf: (item: Item) => string): Item[] {
  const of = process.env['SPILLWAY_PACKAGES_OF']
  const wanted = items.filter((item) => of === undefined || folderOf(item) === of)
  if (wanted.length === 0) throw new Error(`There are no tests of "${of}" here. Give a package's path from the root.`)
  return wanted
}

/** Return the path of a package's tarball, which pack.ts writes. */
export function tarballOf(folder: string): string {
  return join(ROOT, folder, '.reports/package.tgz')
}

/** Return whether a path below the root exists. */
export function exists(...path: string[]): boolean {
  return existsSync(join(ROOT, ...path))
}
