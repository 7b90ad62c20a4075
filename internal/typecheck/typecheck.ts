/**
 * Type-checks the package in the current folder: sources, tests, examples of its documentation, and files that the
 * arguments name. Also checks an adapter's sources and type tests with each older version of its framework.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { checkedExamples, collectExamples, renameInMessage } from '../docs/collect-examples.ts'
import { listPeerSets, type PeerSet } from '../peers/peer-sets.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = process.cwd()
const CONFIGS = join(FOLDER, '.reports/typecheck')

mkdirSync(CONFIGS, { recursive: true })
const more = process.argv.slice(2).map((file) => resolve(file))
const packagesBelow = globSync('*/package.json', { cwd: FOLDER }).map((path) => join(FOLDER, dirname(path), '**'))
const NOT_OURS = ['**/node_modules/**', '**/dist/**', '**/.reports/**', '**/peers/**', ...packagesBelow]
const own = ownProgram()
const examples = checkedExamples(collectExamples({ of: documented(), purpose: 'typecheck' }))
let isSound = check('tests', {
  // Examples declare what they show; in the project's own code, the linter finds unused names.
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  files: [...more, ...examples.map(({ path }) => path)],
  include: [`${FOLDER}/**/*.ts`],
  exclude: [...NOT_OURS, ...(own?.include ?? [])],
})
if (own !== undefined) isSound = compile('tsconfig.json', 'tsconfig.json') && isSound
for (const set of listPeerSets(ROOT)) {
  if (join(ROOT, set.adapter) !== FOLDER) continue
  const sound = check(set.name, {
    compilerOptions: { paths: Object.fromEntries(set.packages.flatMap((name) => typesOf(set, name))) },
    include: [`${FOLDER}/src/**/*.ts`, `${FOLDER}/test/**/*.test-d.ts`],
    exclude: [`${FOLDER}/**/*.test.ts`, ...set.leavesOut.map((folder) => `${FOLDER}/**/${folder}`)],
  })
  isSound &&= sound
}
process.exit(isSound ? 0 : 1)

/** Compile what settings name, and return whether it is sound. */
function check(name: string, settings: object): boolean {
  const config = join(CONFIGS, `${name}.json`)
  writeFileSync(
    config,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.test.json'), references: builtPackages(), ...settings }),
  )
  return compile(config, name)
}

function compile(config: string, name: string): boolean {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  // Several threads would each check the types of a framework: programs of other packages use the other cores.
  const args = [tsc, '-p', config, '--singleThreaded']
  // The next run checks again only what depends on declarations that have changed.
  args.push('--incremental', '--tsBuildInfoFile', join(CONFIGS, `${name}.tsbuildinfo`))
  const { status, signal, error, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (error !== undefined) throw error
  if (signal !== null) throw new Error(`The compiler was ended by ${signal} in ${FOLDER} (${name}).`)
  if (status !== 0) console.error(`${renameInMessage(stdout + stderr, examples)}Type errors in ${FOLDER} (${name}).`)
  return status === 0
}

/** The other packages of the workspace that are built: their declarations are read instead of their sources. */
function builtPackages(): { readonly path: string }[] {
  const { references } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
    readonly references: readonly { readonly path: string }[]
  }
  return references.map(({ path }) => ({ path: join(ROOT, path) })).filter(({ path }) => path !== FOLDER)
}

/** A folder's own configuration that builds nothing: for files with other globals, such as those of workers. */
function ownProgram(): { readonly include: readonly string[] } | undefined {
  const path = join(FOLDER, 'tsconfig.json')
  if (!existsSync(path)) return undefined
  const config = JSON.parse(readFileSync(path, 'utf8')) as { readonly extends: string; readonly include: string[] }
  if (!config.extends.endsWith('tsconfig.test.json')) return undefined
  return { include: config.include.map((pattern) => join(FOLDER, pattern)) }
}

/** The folder whose documentation is checked here: the root's documents belong to the package that checks examples. */
function documented(): string {
  const folder = relative(ROOT, FOLDER).replaceAll('\\', '/')
  return folder === 'internal/docs' ? '.' : folder
}

/** Point each entry of a package to its declarations, at their real path, so that their imports resolve. */
function typesOf(set: PeerSet, name: string): [string, string[]][] {
  const folder = realpathSync(join(set.folder, 'node_modules', name))
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: Entries }
  return Object.entries(exports).flatMap(([entry, target]): [string, string[]][] => {
    const types = declarationsOf(target, entry.endsWith('/*'))
    return types === undefined || /\*./.test(entry) ? [] : [[name + entry.slice(1), [join(folder, types)]]]
  })
}

type Entries = { readonly [entry: string]: string | null | Entries }

/** Of a pattern that names modules alone, the declarations are beside them. */
function declarationsOf(target: string | null | Entries, isPattern: boolean): string | undefined {
  if (target === null) return undefined
  if (typeof target === 'string') {
    if (/\.d\.[cm]?ts$/.test(target)) return target
    return isPattern && /\.m?js$/.test(target) ? target.replace(/\.(m?)js$/, '.d.$1ts') : undefined
  }
  const { types, import: esm, default: rest } = target
  for (const one of [types, esm, rest]) {
    const found = one === undefined ? undefined : declarationsOf(one, isPattern)
    if (found !== undefined) return found
  }
  return undefined
}
