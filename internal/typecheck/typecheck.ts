/**
 * Checks all types of the project: `pnpm typecheck`. One program contains all sources, tests, and examples of the
 * documentation. Programs with other globals are checked separately, and so is each adapter with each older version of
 * its framework. A later run only checks files that a change can affect.
 */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { checkedExamples, collectExamples, renameInMessage } from '../docs/collect-examples.ts'
import { listPeerSets, type PeerSet } from '../peers/peer-sets.ts'
import { runProgram } from '../services/src/run-program.ts'

const ROOT = join(import.meta.dirname, '../..')
const CONFIGS = join(import.meta.dirname, '.reports/typecheck')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const NOT_SOURCES = ['node_modules', 'dist', '.reports', '.examples'].map((name) => `${ROOT}/**/${name}/**`)
/** Folders of programs without the globals of Node.js: workers and pages, which have other globals. */
const WORKER = join(ROOT, 'examples/cloudflare-agents')
const PAGE = join(ROOT, 'packages/inspector/src/page')

/** Error for an inferred type without a name. Allowed in tests and examples, because their declarations are unused. */
const UNNAMED_TYPE = /error TS2883:/

interface TypeScriptConfig {
  readonly include: readonly string[]
  readonly references: readonly { readonly path: string }[]
}

// The compiler writes paths relative to this folder.
process.chdir(ROOT)
mkdirSync(CONFIGS, { recursive: true })
const examples = checkedExamples(collectExamples({ purpose: 'typecheck' }))
const sound = await Promise.all([checkEverything(), checkApart()])
process.exit(sound.every(Boolean) ? 0 : 1)

/** Check the program with all code that runs in Node.js. */
async function checkEverything(): Promise<boolean> {
  const { include } = configOf(WORKER)
  const settings = {
    compilerOptions: {
      // Examples declare names without using them. In the project's own code, the linter finds unused names.
      noUnusedLocals: false,
      noUnusedParameters: false,
      // The declarations of a changed file show whether the change can affect other files in the next run.
      noEmit: false,
      emitDeclarationOnly: true,
      declaration: true,
      removeComments: true,
      rootDir: ROOT,
      outDir: join(CONFIGS, 'declarations'),
    },
    files: [join(ROOT, 'vitest.config.ts'), ...examples.map(({ path }) => path)],
    include: ['packages', 'internal', 'examples', 'benchmarks'].map((folder) => `${ROOT}/${folder}/**/*.ts`),
    exclude: [...NOT_SOURCES, `${ROOT}/packages/adapters/*/peers/**`, ...include.map((path) => `${WORKER}/${path}`)],
  }
  return await check('everything', settings, UNNAMED_TYPE)
}

/** Check the programs that read declarations of packages, one after another. */
async function checkApart(): Promise<boolean> {
  const { references } = configOf(ROOT)
  if (!(await compile('packages', ['-b', ROOT, '--emitDeclarationOnly']))) return false
  const outcomes: boolean[] = []
  for (const folder of [WORKER, PAGE]) outcomes.push(await compileProgram(basename(folder), folder))
  for (const set of listPeerSets(ROOT)) {
    const folder = join(ROOT, set.adapter)
    const outcome = await check(set.name, {
      compilerOptions: { paths: Object.fromEntries(set.packages.flatMap((name) => typesOf(set, name))) },
      references: references.map(({ path }) => ({ path: join(ROOT, path) })).filter(({ path }) => path !== folder),
      include: [`${folder}/src/**/*.ts`, `${folder}/test/**/*.test-d.ts`],
      exclude: [`${folder}/**/*.test.ts`, ...set.leavesOut.map((name) => `${folder}/**/${name}`)],
    })
    outcomes.push(outcome)
  }
  return outcomes.every(Boolean)
}

/** Compile a program with these settings. Returns whether it has no errors. */
async function check(name: string, settings: object, allowed?: RegExp): Promise<boolean> {
  const config = join(CONFIGS, `${name}.json`)
  writeFileSync(config, JSON.stringify({ extends: join(ROOT, 'tsconfig.test.json'), ...settings }))
  return await compileProgram(name, config, allowed)
}

/** Compile a program in one thread, because each thread would check the types of a framework again. */
function compileProgram(name: string, config: string, allowed?: RegExp): Promise<boolean> {
  const info = join(CONFIGS, `${name}.tsbuildinfo`)
  return compile(name, ['-p', config, '--singleThreaded', '--incremental', '--tsBuildInfoFile', info], allowed)
}

/** Run the compiler, and print its errors, except allowed ones. */
async function compile(name: string, args: readonly string[], allowed?: RegExp): Promise<boolean> {
  const { exitCode, output } = await runProgram(process.execPath, [TSC, ...args])
  const errors = output.split(/^(?=\S)/m).filter((error) => allowed?.test(error) !== true)
  // Exit codes 1 and 2 mean errors in the program. Other codes mean that the compiler failed.
  const isSound = exitCode === 0 || (exitCode <= 2 && output !== '' && errors.length === 0)
  if (!isSound)
    console.error(`${renameInMessage(errors.join(''), examples)}Type errors (${name}, exit code ${exitCode}).`)
  return isSound
}

function configOf(folder: string): TypeScriptConfig {
  return JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8')) as TypeScriptConfig
}

/** Map each entry of a package to the real path of its declarations, so that their imports resolve. */
function typesOf(set: PeerSet, name: string): [string, string[]][] {
  const folder = realpathSync(join(set.folder, 'node_modules', name))
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: Entries }
  return Object.entries(exports).flatMap(([entry, target]): [string, string[]][] => {
    const types = declarationsOf(target, entry.endsWith('/*'))
    return types === undefined || /\*./.test(entry) ? [] : [[name + entry.slice(1), [join(folder, types)]]]
  })
}

type Entries = { readonly [entry: string]: string | null | Entries }

/** Return the declarations of an entry. If a pattern names only modules, the declarations are next to them. */
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
