/**
 * Measures packed packages: bytes of tarballs, bytes that a browser loads, modules of each entry, and start time.
 *
 * `node internal/packages/sizes.ts` writes the tables with which tests compare.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown, type OutputChunk } from 'rolldown'
import { setup } from './pack.ts'
import { listPublicPackages, ROOT, tarballOf } from './public-packages.ts'
import { unpackPackages } from './published-layout.ts'
import { compareSizes } from './compare-sizes.ts'

const TABLE = join(import.meta.dirname, 'sizes.md')
const COUNTER = join(import.meta.dirname, 'count-modules.mjs')
const MOST_GROWTH = 0.1
const ROUNDS = 5

const FIRST_CALLS: Readonly<Record<string, string>> = {
  'a range of lines': 'retrieve({ line_range: { start: 1, end: 2 } })',
  'a pattern': "retrieve({ pattern: 'INFO' })",
  'words (`query`)': "retrieve({ query: 'info' })",
  'the offload of a log': "offloader.offload({ toolName: 'log', toolCallId: '1', content: [{ type: 'text', text }] })",
}

/** Code that runs before each of the calls. */
const BEFORE_CALL = `
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
const text = 'INFO started\\n'.repeat(9_000)
const storage = new InMemoryStorage()
const offloader = new ContextOffloader({ storage })
const reference = await storage.store('log', new TextEncoder().encode(text))
const retrieve = (call) => offloader.retrievalTool.execute({ reference, ...call })
`

/** Measure all packed packages. Returns tables. Times differ from run to run, so they can be left out. */
export async function measureSizes({ times }: { readonly times: boolean }): Promise<string> {
  const folder = unpackPackages()
  try {
    const tarballs = listPublicPackages().map(({ name, folder: own }) => [name, statSync(tarballOf(own)).size] as const)
    return [
      '# Sizes of the packed packages',
      '',
      `Written by \`node internal/packages/sizes.ts\`. Node.js ${process.versions.node}, ${availableParallelism()} cores.`,
      '',
      ...table('package | tarball, bytes', tarballs),
      ...table('installed | bytes', installedRows(folder)),
      ...table('first load in a browser | bytes, gzipped', await browserRows(folder)),
      ...table('entry | own modules | other modules', moduleRows(folder)),
      ...table('program with one call | own modules | other modules', callRows(folder)),
      ...(times ? table('start | ms, median of 5', timeRows(folder)) : []),
    ].join('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Return the figures that have grown by more than a tenth since the tables were written. */
export async function findGrowth(): Promise<readonly string[]> {
  return compareSizes(readFileSync(TABLE, 'utf8'), await measureSizes({ times: false }), MOST_GROWTH)
}

if (process.argv[1] === import.meta.filename) {
  await setup()
  writeFileSync(TABLE, await measureSizes({ times: true }))
  execFileSync(process.execPath, [join(ROOT, 'node_modules/oxfmt/bin/oxfmt'), TABLE])
}

function table(columns: string, rows: readonly (readonly [string, ...number[]])[]): readonly string[] {
  const line = columns.replaceAll(/[^|]+/g, ' --: ').replace(':', '-')
  return [`| ${columns} |`, `|${line}|`, ...rows.map((cells) => `| ${cells.join(' | ')} |`), '']
}

/** Bytes on disk that core, a backend, and an adapter need in addition to the framework. */
function installedRows(folder: string): [string, number][] {
  const own = ['text', 'previews', 'core', 'file', 'ai-sdk'].map((name) => `@spillway/${name}`)
  const ofText = (name: string): string => join(folder, 'node_modules/@spillway/text/node_modules', name)
  const bytes = (paths: readonly string[]): number => paths.reduce((sum, path) => sum + bytesBelow(path), 0)
  return [
    ['core, a backend, an adapter', bytes(own.map((name) => join(folder, 'node_modules', name)))],
    ['dependencies of core', bytes(['json-p3', '@eslint-community/regexpp'].map(ofText))],
    ['engine of SQL (optional)', bytes([ofText('@sqlite.org/sqlite-wasm')])],
  ]
}

/** Return the size of the files of a package, without packages in it. */
function bytesBelow(path: string): number {
  const folder = realpathSync(path)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const own = files.filter((file) => file.isFile() && !relative(folder, file.parentPath).includes('node_modules'))
  return own.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** Minified size of the code that a page with these imports loads at start, without chunks loaded on first use. */
async function browserRows(folder: string): Promise<[string, number][]> {
  const rows: [string, number][] = []
  for (const name of ['ContextOffloader', 'createStorage', 'ContextOffloader, createStorage']) {
    const input = join(folder, `${name}.js`)
    writeFileSync(input, `export { ${name} } from '@spillway/core'\n`)
    const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    const chunks = new Map(output.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])))
    const bytes = [...staticChunks(output[0], chunks)].map(({ code }) => gzipSync(code).length)
    rows.push([name, bytes.reduce((sum, size) => sum + size, 0)])
  }
  return rows
}

function staticChunks(
  chunk: OutputChunk,
  chunks: ReadonlyMap<string, OutputChunk>,
  found: Set<OutputChunk> = new Set(),
): Set<OutputChunk> {
  if (found.has(chunk)) return found
  found.add(chunk)
  for (const name of chunk.imports) {
    const imported = chunks.get(name)
    if (imported !== undefined) staticChunks(imported, chunks, found)
  }
  return found
}

/**
 * Modules that each entry, and `spillway --version`, load in Node.js. All entries are loaded in one process, because
 * several share a framework. Throws if CommonJS cannot require an entry that has a top-level await.
 */
function moduleRows(folder: string): [string, number, number][] {
  const entries = listPublicPackages().flatMap(({ name }) => {
    const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    const { exports } = JSON.parse(manifest) as { readonly exports: Readonly<Record<string, unknown>> }
    return Object.keys(exports).map((entry) => name + entry.slice(1))
  })
  // An integration for vitest can be loaded only during a test.
  const counted = entries.filter((entry) => !/\/(?:package\.json|vitest)$/.test(entry))
  const script = join(folder, 'node_modules/@spillway/ai-sdk/entries.cjs')
  writeFileSync(script, counted.map((entry) => `require(${JSON.stringify(entry)})\n`).join(''))
  const { loaded, imports } = loadedModules(folder, [script])
  const ofEntries = imports[pathToFileURL(script).href] ?? {}
  return [
    ...counted.map((entry): [string, number, number] => {
      const modules = new Set([ofEntries[entry] ?? ''])
      // The loop over the set also visits modules that are added during the loop.
      for (const module of modules) for (const url of Object.values(imports[module] ?? {})) modules.add(url)
      return [entry, ...countFiles(loaded.filter((url) => modules.has(url)))]
    }),
    ['spillway --version', ...countFiles(loadedModules(folder, version(folder)).loaded)],
  ]
}

/** Modules that a program loads until its first call of each kind, including its imports. */
function callRows(folder: string): [string, number, number][] {
  return Object.entries(FIRST_CALLS).map(([name, call]) => {
    const program = [
      '--input-type=module',
      '-e',
      `${BEFORE_CALL}\nif ((await ${call}).isError) throw new Error('failed')`,
    ]
    return [name, ...countFiles(loadedModules(folder, program).loaded)]
  })
}

function timeRows(folder: string): [string, number][] {
  const starts = {
    'node -e 0': ['-e', '0'],
    "import '@spillway/core'": importing('@spillway/core'),
    "import 'ai'": importing('ai'),
    'spillway --version': version(folder),
  }
  const times = new Map(Object.keys(starts).map((name): [string, number[]] => [name, []]))
  // The programs take turns, so that a busy moment of the machine does not affect only one of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(starts)) {
      const begin = performance.now()
      run(folder, args, { NODE_COMPILE_CACHE: undefined })
      times.get(name)?.push(performance.now() - begin)
    }
  }
  return [...times].map(([name, all]) => [name, Math.round(all.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0)])
}

function importing(entry: string): string[] {
  return ['--input-type=module', '-e', `import ${JSON.stringify(entry)}`]
}

function version(folder: string): string[] {
  return [join(folder, 'node_modules/@spillway/cli/dist/bin.js'), '--version']
}

/** The modules of a program, in the format of count-modules.mjs. */
interface LoadedModules {
  readonly loaded: readonly string[]
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>
}

function loadedModules(folder: string, args: readonly string[]): LoadedModules {
  const file = join(folder, 'modules.json')
  run(folder, ['--import', COUNTER, ...args], { SPILLWAY_MODULES: file })
  return JSON.parse(readFileSync(file, 'utf8')) as LoadedModules
}

function countFiles(urls: readonly string[]): [own: number, others: number] {
  const files = urls.filter((url) => url.startsWith('file:') && !url.endsWith('/entries.cjs'))
  const own = files.filter((url) => /\/node_modules\/@spillway\/[^/]+\/dist\//.test(url)).length
  return [own, files.length - own]
}

/** Run Node.js in a folder in which the AI SDK is resolved, too. */
function run(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { NODE_OPTIONS: _, ...inherited } = process.env
  execFileSync(process.execPath, args, {
    cwd: join(folder, 'node_modules/@spillway/ai-sdk'),
    env: { ...inherited, ...env },
    // Some packages print warnings on import. If a program fails, the error contains its output.
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}
