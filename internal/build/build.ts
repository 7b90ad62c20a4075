/**
 * Builds the package in the current folder: declarations, and one module for each entry. Code that entries share, and
 * code loaded on first use, is in separate modules. Only the package's own files are bundled.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { rolldown, type PluginContext } from 'rolldown'
import { buildPage } from './build-page.ts'

const ROOT = join(import.meta.dirname, '../..')
const BUILT = /^\.\/dist\/(.*)\.js$/

const { publishConfig } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly publishConfig: unknown }
const names = [...new Set(modulesIn(publishConfig).map((path) => path.replace(BUILT, '$1')))]
/**
 * Base modules, each with a chunk. The chunk has all direct and indirect imports that no earlier chunk has. Loading a
 * chunk takes about as long as 10 KB of code. The first two are separate because a browser that only stores content
 * needs neither the token estimate nor the offloader.
 */
const BASES = ['tokens/estimate-tokens', 'driver/index', 'index', 'internal']
const bases = new Map<string, string>()

// Files of an earlier build may have other names.
for (const path of globSync('dist/**/*.js')) rmSync(path)
rmSync('dist/page', { recursive: true, force: true })
for (const path of globSync('dist/**/*.d.ts'))
  if (!existsSync(path.replace('dist', 'src').replace(/\.d\.ts$/, '.ts'))) rmSync(path)
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-b', '--emitDeclarationOnly'], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
const bundle = await rolldown({
  input: Object.fromEntries(names.map((name) => [name, join('src', `${name}.ts`)])),
  // Only own files are bundled. The runtime that imports the package resolves names that begin with `#`.
  external: (name, importer) => importer !== undefined && !name.startsWith('.') && !isAbsolute(name),
  platform: 'node',
  transform: { target: 'es2024' },
  plugins: [{ name: 'bases', buildEnd: findBases }],
})
await bundle.write({
  dir: 'dist',
  format: 'esm',
  // Chunks are next to the entries, so that a path relative to a module is the same in all modules.
  chunkFileNames: '[name]-[hash].js',
  comments: { jsdoc: false },
  topLevelVar: true,
  codeSplitting: { groups: [{ name: (module) => bases.get(module) ?? null, debugName: 'bases', minShareCount: 2 }] },
})
await bundle.close()

// The page of a package is bundled with all its dependencies, so that it works offline.
if (existsSync('src/page')) await buildPage('dist/page')

/** List the modules that a manifest names, at any depth. */
function modulesIn(value: unknown): string[] {
  if (typeof value === 'string') return BUILT.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(modulesIn) : []
}

/** Find the chunk of each module that `BASES` import at any depth. Dynamic imports are left out. */
function findBases(this: PluginContext): void {
  const packages = new Set<string>()
  for (const base of BASES.filter((name) => existsSync(`src/${name}.ts`))) {
    const imported = new Set([resolve(`src/${base}.ts`)])
    // The loop over the set also visits modules that are added during the loop.
    for (const name of imported)
      for (const next of this.getModuleInfo(name)?.importedIds ?? []) if (!bases.has(next)) imported.add(next)
    const others = [...imported].filter((name) => !isAbsolute(name))
    // A program that needs a small part of `internal` must not load another package with it.
    if (base === 'internal' && others.some((name) => !packages.has(name))) continue
    for (const name of others) packages.add(name)
    for (const name of imported) if (isAbsolute(name)) bases.set(name, `${base.replace('/', '-')}-base`)
  }
}
