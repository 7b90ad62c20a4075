import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { importedModules } from '../docs/imported-packages.ts'
import { packageName } from '../peers/package-name.ts'
import { readTarball } from './tarball-registry.ts'

interface Manifest {
  readonly name: string
  readonly exports?: unknown
  readonly bin?: unknown
  readonly imports?: Readonly<Record<string, unknown>>
  readonly dependencies?: object
  readonly optionalDependencies?: object
  readonly peerDependencies?: object
}

/**
 * List imports of a packed package that fail for its users: files that the tarball lacks, and packages that its
 * manifest does not name. All modules and declarations are read, even modules that are loaded on first use.
 */
export function findMissingImports(tarball: Uint8Array): string[] {
  const files = readTarball(tarball)
  const manifest = JSON.parse(String(files.get('package.json'))) as Manifest
  const { name, imports = {}, dependencies, optionalDependencies, peerDependencies } = manifest
  const named = new Set([name, ...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })])
  const isThere = (path: string, module: string): boolean => {
    if (module.startsWith('#')) return module in imports
    if (!module.startsWith('.')) return isBuiltin(module) || named.has(packageName(module))
    const target = posix.join(posix.dirname(path), module)
    return files.has(path.endsWith('.d.ts') ? target.replace(/\.ts$/, '.d.ts') : target)
  }
  const missing = [...files].flatMap(([path, content]) =>
    modulesOf(path, content)
      .filter((module) => !isThere(path, module))
      .map((module) => `${path} imports ${module}`),
  )
  const entries = [manifest.exports, manifest.bin, imports].flatMap(pathsIn)
  const unpacked = entries.filter((path) => !files.has(posix.join(path)))
  return [...missing, ...unpacked.map((path) => `package.json names ${path}`)]
}

/** List the imports of a module or a declaration. The inspector's page is skipped: it is one bundle for browsers. */
function modulesOf(path: string, content: Buffer): string[] {
  if (!/\.(?:js|d\.ts)$/.test(path) || path.startsWith('dist/page/')) return []
  const code = content.toString()
  const types = path.endsWith('.d.ts') ? [...code.matchAll(/\bimport\(["']([^"']+)["']\)\./g)] : []
  // "." means an export of the module itself.
  const modules = importedModules(code).filter((module) => module !== '.')
  return [...modules, ...types.map(([, module = '']) => module)]
}

function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('./') ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : []
}
