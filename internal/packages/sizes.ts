/**
 * Measures packed packages: bytes of tarballs, bytes that a browser loads, modules that each entry loads, and time to start.
 *
 *     node internal/packages/sizes.ts            writes internal/packages/sizes.md
 *     node internal/packages/sizes.ts --check    exits with 1 if a figure is 10 % over that table, times left out
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
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

await setup()
const folder = unpackPackages()
try {
  const text = [
    '# Sizes of the packed packages',
    '',
    `Written by \`node internal/packages/sizes.ts\`; \`--check\` compares. Node.js ${process.versions.node}, ${availableParallelism()} cores.`,
    '',
    ...table(
      'package | tarball, bytes',
      listPublicPackages().map(({ name, folder: own }) => [name, statSync(tarballOf(own)).size]),
    ),
    ...table('first load in a browser | bytes, gzipped', await browserRows()),
    ...table('entry | own modules | other modules', moduleRows()),
    ...table('start | ms, median of 5', timeRows()),
  ].join('\n')
  if (process.argv.includes('--check')) {
    const growth = compareSizes(readFileSync(TABLE, 'utf8'), text, MOST_GROWTH)
    for (const line of growth) console.error(line)
    process.exitCode = growth.length === 0 ? 0 : 1
  } else {
    writeFileSync(TABLE, text)
    execFileSync(process.execPath, [join(ROOT, 'node_modules/oxfmt/bin/oxfmt'), TABLE])
  }
} finally {
  rmSync(folder, { recursive: true })
}

function table(columns: string, rows: readonly (readonly [string, ...number[]])[]): readonly string[] {
  const line = columns.replaceAll(/[^|]+/g, ' --: ').replace(':', '-')
  return [`| ${columns} |`, `|${line}|`, ...rows.map((cells) => `| ${cells.join(' | ')} |`), '']
}

/** What a page loads at once that imports one name, minified; chunks that are loaded on first use are left out. */
async function browserRows(): Promise<[string, number][]> {
  const rows: [string, number][] = []
  for (const name of ['ContextOffloader', 'createStorage']) {
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

/** Modules that each entry loads in Node.js, and the command line for its version. */
function moduleRows(): [string, number, number][] {
  const entries = listPublicPackages().flatMap(({ name }) => {
    const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    const { exports } = JSON.parse(manifest) as { readonly exports: Readonly<Record<string, unknown>> }
    return Object.keys(exports).map((entry) => name + entry.slice(1))
  })
  // A binding of vitest can be loaded by a running test only.
  const counted = entries.filter((entry) => !/\/(?:package\.json|vitest)$/.test(entry))
  return [
    ...counted.map((entry) => [entry, ...countModules(importing(entry))] satisfies [string, number, number]),
    ['spillway --version', ...countModules(version())],
  ]
}

function timeRows(): [string, number][] {
  const starts = {
    'node -e 0': ['-e', '0'],
    "import '@spillway/core'": importing('@spillway/core'),
    "import 'ai'": importing('ai'),
    'spillway --version': version(),
  }
  const times = new Map(Object.keys(starts).map((name): [string, number[]] => [name, []]))
  // In turns, so that a busy moment does not hit one of them alone.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(starts)) {
      const begin = performance.now()
      run(args)
      times.get(name)?.push(performance.now() - begin)
    }
  }
  return [...times].map(([name, all]) => [name, Math.round(all.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0)])
}

function importing(entry: string): string[] {
  return ['--input-type=module', '-e', `import ${JSON.stringify(entry)}`]
}

function version(): string[] {
  return [join(folder, 'node_modules/@spillway/cli/dist/bin.js'), '--version']
}

function countModules(args: readonly string[]): [own: number, others: number] {
  const counts = join(folder, 'modules.json')
  run(['--import', COUNTER, ...args], { SPILLWAY_MODULES: counts })
  return JSON.parse(readFileSync(counts, 'utf8')) as [number, number]
}

/** Run Node.js where packages find the AI SDK too. */
function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { NODE_OPTIONS: _, NODE_COMPILE_CACHE: __, ...inherited } = process.env
  execFileSync(process.execPath, args, {
    cwd: join(folder, 'node_modules/@spillway/ai-sdk'),
    env: { ...inherited, ...env },
    // Some packages print warnings on import; of a program that fails, the error holds what it printed.
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}
