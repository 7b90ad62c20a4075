import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { packageName } from './package-name.ts'
import type { PeerSet } from './peer-sets.ts'

/**
 * List an adapter's test files, relative to `root`, that reach no package of a set: neither they nor a file of the adapter
 * that they import loads one. Another version of the packages cannot change their result.
 */
export function listUnaffectedTests(root: string, { adapter, packages }: PeerSet): string[] {
  const imports = new Map<string, readonly string[]>()
  const importsOf = (path: string): readonly string[] => {
    let known = imports.get(path)
    if (known === undefined) imports.set(path, (known = loadedModules(path)))
    return known
  }
  return globSync(`${adapter}/{src,test}/**/*.test.ts`, { cwd: root }).filter((test) => {
    const reached = new Set([join(root, test)])
    for (const path of reached)
      for (const specifier of importsOf(path)) {
        // A private suite drives the framework through its harness.
        if (packages.includes(packageName(specifier)) || specifier.startsWith('@spillway-internal/adapter'))
          return false
        if (specifier.startsWith('.') && existsSync(join(dirname(path), specifier)))
          reached.add(join(dirname(path), specifier))
      }
    return true
  })
}

/** The specifiers of what a module loads when it runs: imports of types alone load nothing. */
function loadedModules(path: string): readonly string[] {
  const code = readFileSync(path, 'utf8')
  const { staticImports, staticExports, dynamicImports } = parseSync(path, code).module
  return [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest === null || isType ? [] : [moduleRequest.value])),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start + 1, end - 1)),
  ]
}
