/**
 * Builds the package in the current folder: declarations, and one module for each entry. Code that entries share, and code
 * loaded on first use, have modules of their own. Only the package's own files are bundled.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { buildPage } from './build-page.ts'

const ROOT = join(import.meta.dirname, '../..')
const BUILT = /^\.\/dist\/(.*)\.js$/

const { publishConfig } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly publishConfig: unknown }
const entries = new Set(modulesIn(publishConfig).map((path) => path.replace(BUILT, 'src/$1.ts')))

// An earlier build may have had other names.
for (const path of globSync('dist/**/*.js')) rmSync(path)
rmSync('dist/page', { recursive: true, force: true })
for (const path of globSync('dist/**/*.d.ts'))
  if (!existsSync(path.replace('dist', 'src').replace(/\.d\.ts$/, '.ts'))) rmSync(path)
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-b', '--emitDeclarationOnly'], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
await build({
  entryPoints: [...entries],
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2024',
  platform: 'node',
  packages: 'external',
  // Which file it is, the runtime that imports the package decides.
  external: ['#*'],
  // Beside the entries, so that a path relative to a module is the same in all of them.
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
})

// The page of a package is bundled with all that it needs, so that it works offline.
if (existsSync('src/page')) await buildPage('dist/page')

/** List the modules that a manifest names, at any depth. */
function modulesIn(value: unknown): string[] {
  if (typeof value === 'string') return BUILT.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(modulesIn) : []
}
