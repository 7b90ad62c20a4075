#!/usr/bin/env node
// Measures time and memory of our previews by kind of content, and for hostile content. See README.md.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { HOSTILE_TEXTS } from '../../packages/previews/test/hostile-texts.ts'
import { dataFolder } from './lib/data.mjs'
import { preview, type PreviewCase } from './ours.ts'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    out: { type: 'string' },
    only: { type: 'string' },
    child: { type: 'string' },
    hostile: { type: 'string', default: '1,8' },
  },
})
const MB = 1_000_000

interface Input {
  readonly name: string
  readonly category?: string
  /** Selects cases of the category by id. */
  readonly of?: RegExp
  readonly megabytes: number
  readonly limit: number
}

/** Content repeated to a size, and the limit of the milliseconds per megabyte. */
const INPUTS: readonly Input[] = [
  { name: 'log', category: 'logs', megabytes: 10, limit: 8 },
  { name: 'log', category: 'logs', megabytes: 100, limit: 8 },
  { name: 'JSON', category: 'json', of: /twitter/, megabytes: 10, limit: 8 },
  { name: 'JSON on one line', category: 'jsonmin', of: /twitter/, megabytes: 10, limit: 8 },
  { name: 'JSON on one line', category: 'jsonmin', of: /twitter/, megabytes: 100, limit: 8 },
  { name: 'CSV', category: 'csv', of: /police/, megabytes: 10, limit: 8 },
  { name: 'aligned columns', category: 'commands', of: /lsof/, megabytes: 10, limit: 8 },
  { name: 'ls -R', category: 'commands', of: /ls-R/, megabytes: 10, limit: 8 },
  { name: 'Markdown', category: 'transcripts', of: /9ff9c26d.*#10$/, megabytes: 10, limit: 8 },
  { name: 'numbered source', category: 'transcripts', of: /1c341e47.*#10$/, megabytes: 1, limit: 60 },
  { name: 'TypeScript', category: 'code', of: /stream-text/, megabytes: 1, limit: 60 },
  { name: 'C', category: 'code', of: /chunk\.c/, megabytes: 1, limit: 60 },
  { name: 'Python', category: 'code', of: /fixtures/, megabytes: 1, limit: 60 },
  { name: 'Go', category: 'code', of: /engine/, megabytes: 1, limit: 60 },
  { name: 'HTML', category: 'html', megabytes: 5, limit: 60 },
]

type Call = Omit<PreviewCase, 'budgetTokens'>

async function load(input: Input | undefined): Promise<Call> {
  if (input?.category === undefined) throw new Error('no such input')
  const { loadCases } = await import('./lib/cases.mjs')
  const cases = (loadCases(dataFolder(options.data), [input.category]) as (Call & { id: string })[]).filter(
    ({ id }) => input.of?.test(id) ?? true,
  )
  const [first] = cases
  if (first === undefined) throw new Error(`no case for ${input.name}`)
  const { contentType, toolName, toolInput } = first
  return {
    text: grow(
      cases.map(({ text }) => text),
      input,
    ),
    contentType,
    toolName,
    toolInput,
  }
}

function hostile(name: string, length: number): string {
  const make = HOSTILE_TEXTS[name]
  if (make === undefined) throw new Error(`no hostile content named ${name}`)
  return make(length)
}

/** Repeat texts up to a size, so that the result is valid content of the same kind. */
function grow(texts: readonly string[], { name, megabytes }: Input): string {
  const length = megabytes * MB
  const [first = ''] = texts
  if (name === 'JSON') {
    const value: unknown = JSON.parse(first)
    return JSON.stringify(Array(Math.ceil(length / first.length)).fill(value), null, 2)
  }
  if (name === 'JSON on one line')
    return `[${Array(Math.ceil(length / first.length))
      .fill(first)
      .join(',')}]`
  if (name === 'HTML') {
    // The bodies of all pages are put into one page.
    const bodies = texts.map((text) => /<body[^>]*>([\s\S]*)<\/body>/i.exec(text)?.[1] ?? '').join('\n')
    return `<!doctype html><html><head><title>Pages</title></head><body>${repeat(bodies, length)}</body></html>`
  }
  return repeat(texts.join('\n'), length)
}

const repeat = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)

interface Measure {
  readonly bytes: number
  readonly milliseconds: number
  readonly added: number
  readonly tokens: string
}

if (options.child === undefined) run()
else await child(JSON.parse(options.child) as { input?: number; hostile?: string; length: number })

async function child(what: { input?: number; hostile?: string; length: number }): Promise<void> {
  const call: Call =
    what.input === undefined
      ? { text: hostile(what.hostile ?? '', what.length), contentType: 'text/plain', toolName: 'tool' }
      : await load(INPUTS.at(what.input))
  await preview({ ...call, text: call.text.slice(0, 200_000), budgetTokens: 1_000 })
  // The text is one flat string in memory, like the text of a tool.
  const text = Buffer.from(call.text).toString()
  globalThis.gc?.()
  const before = process.resourceUsage().maxRSS * 1_024
  const times: number[] = []
  let written = ''
  for (let round = 0; round < (text.length > 30 * MB ? 2 : 3); round++) {
    const start = performance.now()
    written = await preview({ ...call, text, budgetTokens: 1_000 })
    times.push(performance.now() - start)
  }
  const measure: Measure = {
    bytes: Buffer.byteLength(text),
    milliseconds: times.toSorted((one, other) => one - other).at(Math.floor(times.length / 2 - 0.1)) ?? Infinity,
    added: process.resourceUsage().maxRSS * 1_024 - before,
    tokens: written.split('\n', 1).join('').slice(0, 60),
  }
  console.log(JSON.stringify(measure))
}

function measure(what: { input?: number; hostile?: string; length: number }): Measure {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), '--child', JSON.stringify(what)]
  const data = options.data === undefined ? [] : ['--data', options.data]
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, [...args, ...data], {
    encoding: 'utf8',
    timeout: 300_000,
  })
  if (status !== 0) throw new Error(`${JSON.stringify(what)} failed (${signal ?? status}): ${stderr.slice(-2_000)}`)
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measure
}

function run(): void {
  dataFolder(options.data)
  const only = options.only === undefined ? undefined : new RegExp(options.only, 'i')
  const wanted = (name: string): boolean => only?.test(name) ?? true
  const failures: string[] = []
  const rows: string[] = [
    `Node.js ${process.version}, ${availableParallelism()} cores of ${cpus()[0]?.model ?? 'unknown'}. Budget 1,000 tokens of o200k_base.`,
    '',
    '| content | MB | ms per MB | limit | added memory | header of the preview |',
    '| --- | --: | --: | --: | --: | --- |',
  ]
  for (const [index, input] of INPUTS.entries()) {
    if (!wanted(input.name)) continue
    const { bytes, milliseconds, added, tokens } = measure({ input: index, length: 0 })
    const perMegabyte = milliseconds / (bytes / MB)
    if (perMegabyte > input.limit) failures.push(`${input.name}: ${perMegabyte.toFixed(1)} ms per MB`)
    if (added > 2 * bytes + 32 * MB)
      failures.push(`${input.name}: ${(added / bytes).toFixed(1)} times its size in memory`)
    rows.push(
      `| ${input.name} | ${(bytes / MB).toFixed(1)} | ${perMegabyte.toFixed(1)} | ${input.limit} | ${(added / MB).toFixed(0)} MB, ${(added / bytes).toFixed(2)} × | \`${tokens.replaceAll('|', '\\|')}\` |`,
    )
    console.error(rows.at(-1))
  }
  const sizes = options.hostile.split(',').map(Number)
  rows.push(
    '',
    `| hostile content | ${sizes.map((size) => `ms at ${size} MB`).join(' | ')} | growth |`,
    `| --- | ${sizes.map(() => '--:').join(' | ')} | --: |`,
  )
  for (const name of Object.keys(HOSTILE_TEXTS)) {
    if (!wanted(name)) continue
    const times = sizes.map((size) => measure({ hostile: name, length: size * MB }).milliseconds)
    const [smallest = 1, largest = smallest] = [sizes.at(0), sizes.at(-1)]
    const [least = 1, most = least] = [times.at(0), times.at(-1)]
    const growth = most / least / (largest / smallest)
    if (growth > 2 && most > 60 * largest)
      failures.push(`${name}: not linear, ${times.map((time) => time.toFixed(0)).join(' → ')} ms`)
    rows.push(`| ${name} | ${times.map((time) => time.toFixed(0)).join(' | ')} | ${growth.toFixed(2)} |`)
    console.error(rows.at(-1))
  }
  console.log(rows.join('\n'))
  if (options.out !== undefined) writeFileSync(options.out, `${rows.join('\n')}\n`)
  for (const failure of failures) console.error(`over its limit: ${failure}`)
  if (failures.length > 0) process.exitCode = 1
}
