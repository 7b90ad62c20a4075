import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '../..')

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

/** Whether a path below the root exists. */
export function exists(...path: string[]): boolean {
  return existsSync(join(ROOT, ...path))
}
