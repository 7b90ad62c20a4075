/** Lints the packages that have changed since they last passed: `node internal/lint/lint-changed.ts`, after a build. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** File with the hashes of folders that have passed. */
const PASSED = join(ROOT, 'node_modules/.cache/linted.json')
/** Patterns for git, in which `*` also matches slashes. */
const FILES = [
  '*.ts',
  '*.tsx',
  '*.js',
  '*.mjs',
  '*.cjs',
  '*.oxlintrc.json',
  '*package.json',
  '*lock.yaml',
  '*tsconfig*',
]
const PACKAGE = /^packages\/(?:(?:storage|adapters)\/)?[^/]+(?=\/)/
/** Whether no other file takes a type from this file. Other packages read declarations instead of sources. */
const IS_LEAF = /^packages\/.*\/src\/.*\.ts$|\.test\.ts$/
/** The name for all code outside of packages. */
const REST = 'rest'
const REST_FOLDERS = ['internal', 'benchmarks', 'examples', 'scripts', 'vitest.config.ts']

/**
 * Hash each package, and all other code. Equal hashes mean equal findings.
 *
 * Some rules read types. So every hash depends on all declarations, and on all code without declarations.
 */
export function hashFolders(paths: readonly string[], read: (path: string) => Uint8Array): Map<string, string> {
  const shared = hashOf(paths.filter((path) => path.endsWith('.d.ts') || !IS_LEAF.test(path)))
  const folders = Map.groupBy(paths, (path) => PACKAGE.exec(path)?.[0] ?? REST)
  return new Map([...folders].map(([folder, own]) => [folder, `${shared} ${hashOf(own)}`]))

  function hashOf(some: readonly string[]): string {
    const hash = createHash('sha256')
    for (const path of some.toSorted()) hash.update(`${path}\0`).update(read(path)).update('\0')
    return hash.digest('hex')
  }
}

/** Return the folders and files to lint: those whose hash has changed since they passed. */
export function foldersToLint(hashes: ReadonlyMap<string, string>, passed: Readonly<Record<string, string>>): string[] {
  const changed = [...hashes].filter(([folder, hash]) => passed[folder] !== hash).map(([folder]) => folder)
  return changed.flatMap((folder) => (folder === REST ? REST_FOLDERS : [folder]))
}

function main(): number {
  const list = ['ls-files', '-co', '--exclude-standard', '--', ...FILES]
  const listed = spawnSync('git', list, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 })
  const paths = new Set(listed.stdout.split('\n').filter((path) => path !== '' && existsSync(join(ROOT, path))))
  for (const path of globSync('packages/{*,*/*}/dist/**/*.d.ts', { cwd: ROOT })) paths.add(path)
  const hashes = hashFolders([...paths], (path) => readFileSync(join(ROOT, path)))
  const passed = existsSync(PASSED) ? (JSON.parse(readFileSync(PASSED, 'utf8')) as Record<string, string>) : {}
  const folders = foldersToLint(hashes, passed)
  if (folders.length === 0) return 0
  const { status } = spawnSync('pnpm', ['exec', 'oxlint', ...folders], {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) return status ?? 1
  mkdirSync(dirname(PASSED), { recursive: true })
  writeFileSync(PASSED, JSON.stringify(Object.fromEntries(hashes)))
  return 0
}

if (process.argv[1] === import.meta.filename) process.exitCode = main()
