import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { packageName } from '../peers/package-name.ts'
import type { Fence } from './extract-fences.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Packages that examples of a package import, in addition to the dependencies of the package. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  // These packages depend on the package, so it cannot depend on them.
  'packages/text': ['@spillway/core', '@spillway/memory'],
  'packages/previews': ['@spillway/core', '@spillway/memory'],
  'packages/core': ['@spillway/memory'],
  'packages/adapters/ai-sdk': ['@spillway/file'],
}

/** List the packages that an example needs: its imports, and the imports of files of its document that it imports. */
export function packagesOf(example: Fence, fences: readonly Fence[]): string[] {
  if (example.language === 'sh') {
    const runsSpillway = example.flags.includes('run') && /^(?:\w+=\$\()?spillway /m.test(example.code)
    return runsSpillway ? ['@spillway/cli'] : []
  }
  if (example.language !== 'ts' || example.flags.includes('ignore')) return []
  const files = fences.filter(({ file }) => file !== undefined && importedModules(example.code).includes(`./${file}`))
  return [...new Set([...importedPackages(example.code), ...files.flatMap((file) => packagesOf(file, fences))])]
}

/** List the packages that a module imports, by name. */
export function importedPackages(code: string): string[] {
  const names = importedModules(code).filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
  return [...new Set(names.map(packageName))]
}

/** List the specifiers of imports in a module. Computed specifiers are left out. */
export function importedModules(code: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync('example.ts', code).module
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '.')),
    ...dynamicImports
      .map(({ moduleRequest: { start, end } }) => code.slice(start, end))
      .flatMap((name) => (/^['"]/.test(name) ? [name.slice(1, -1)] : [])),
  ]
}

/** List the packages that examples of a package may import. Changes of other packages do not run the examples again. */
export function importablePackages(folder: string): Set<string> {
  const path = join(ROOT, folder === '.' ? 'internal/docs' : folder, 'package.json')
  const { name, dependencies, devDependencies, peerDependencies } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly name: string
  } & Readonly<Record<'dependencies' | 'devDependencies' | 'peerDependencies', Readonly<Record<string, string>>>>
  const declared = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
  return new Set([name, 'vitest', ...declared, ...(ALSO[folder] ?? [])])
}
