// CPU time of the longest turn of the event loop, and number of turns, while large content is offloaded and retrieved.
// node speed/turns.ts [NAME...] # all kinds of content, or some kinds
import { ContextOffloader, type ContentBlock } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { table } from './lib.mjs'

const MB = 1_000_000
const RUNS = 3
const LIMIT_MS = 20

interface Turn {
  readonly start: number
  readonly end: number
  readonly cpu: number
}

const pauses: { readonly start: number; readonly end: number }[] = []
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) pauses.push({ start: startTime, end: startTime + duration })
}).observe({ entryTypes: ['gc'] })

const cpuNow = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Record each turn of the event loop while `work` runs. */
async function turnsOf(work: () => Promise<unknown>): Promise<Turn[]> {
  const turns: Turn[] = []
  let running = true
  let start = performance.now()
  let cpu = cpuNow()
  const note = (): void => {
    const [end, now] = [performance.now(), cpuNow()]
    turns.push({ start, end, cpu: now - cpu })
    ;[start, cpu] = [performance.now(), cpuNow()]
    if (running) setImmediate(note)
  }
  await new Promise((resolve) => setImmediate(resolve))
  setImmediate(note)
  await work()
  running = false
  await new Promise((resolve) => setImmediate(resolve))
  // Entries of the garbage collector arrive later.
  await new Promise((resolve) => setTimeout(resolve, 50))
  return turns
}

/** CPU time of a turn, without its garbage collection. */
const ownTime = ({ start, end, cpu }: Turn): number =>
  Math.max(
    0,
    cpu - pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(end, pause.end) - Math.max(start, pause.start)), 0),
  )

const repeated = (length: number, part: (index: number) => string): string => {
  const parts: string[] = []
  for (let index = 0, size = 0; size < length; index++) {
    const text = part(index)
    parts.push(text)
    size += text.length
  }
  return Buffer.from(parts.join('').slice(0, length)).toString()
}

const log = (index: number): string =>
  `2026-03-${10 + (index % 20)}T12:00:00Z ${index % 97 === 0 ? 'ERROR' : 'INFO'} worker ${index} did ${index * 7} ok\n`
const record = (id: number): object => ({
  id,
  name: `user ${id}`,
  tags: ['a', 'b'],
  address: { city: 'Rome', zip: id },
})
const records = (length: number): object[] => {
  const all: object[] = []
  for (let id = 0, size = 0; size < length; id++) {
    all.push(record(id))
    size += 90
  }
  return all
}
function ownSources(length: number): string {
  const paths = globSync(join(import.meta.dirname, '../../packages/*/src/**/*.ts')).toSorted()
  return paths
    .map((path) => readFileSync(path, 'utf8'))
    .join('')
    .slice(0, length)
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value })

const CONTENTS: Record<string, () => ContentBlock[]> = {
  'text 25 MB': () => [text(repeated(25 * MB, log))],
  'text 100 MB': () => [text(repeated(100 * MB, log))],
  'wide text 25 MB': () => [text(repeated(25 * MB, (index) => `行 ${index}: 結果は正常です、次へ進みます\n`))],
  'JSON 25 MB, one line': () => [text(JSON.stringify(records(25 * MB)))],
  'JSON 25 MB, indented': () => [text(JSON.stringify(records(15 * MB), null, 2))],
  'JSON value 25 MB': () => [{ type: 'json', value: records(25 * MB) }],
  'JSON, 10 MB of keys': () => [text(`{${repeated(10 * MB, (index) => `"key ${index}":${index},`)}"end":1}`)],
  'JSON, 10 MB deep': () => [text('[{"a":'.repeat((5 * MB) / 6) + '1' + '}]'.repeat((5 * MB) / 6))],
  'JSON, strings of 1 MB': () => [text(JSON.stringify(Array.from({ length: 25 }, () => repeated(MB, log))))],
  'JSON, a string of 20 MB': () => [text(JSON.stringify({ output: repeated(20 * MB, log) }))],
  'JSON lines 50 MB': () => [text(repeated(50 * MB, (index) => `${JSON.stringify(record(index))}\n`))],
  'HTML 10 MB': () => [
    text(
      `<!doctype html><html><body>${repeated(10 * MB, (index) => `<div class="c"><h2>Part ${index}</h2><p>Some <a href="/x/${index}">words</a> of it.</p></div>\n`)}</body></html>`,
    ),
  ],
  'HTML, 10 MB nested': () => [text(`<!doctype html><html><body>${'<div>'.repeat(2 * MB)}x</body></html>`)],
  'XML 25 MB': () => [
    text(
      `<?xml version="1.0"?><all>${repeated(25 * MB, (index) => `<item id="${index}"><name>n ${index}</name></item>\n`)}</all>`,
    ),
  ],
  'stack traces 25 MB': () => [
    text(
      repeated(
        25 * MB,
        (index) => `Error: failed ${index}\n${'    at run (/srv/app/src/file.ts:12:5)\n'.repeat(12)}\n`,
      ),
    ),
  ],
  'CSV 50 MB': () => [
    text(
      `id,name,city,amount\n${repeated(50 * MB, (index) => `${index},name ${index},"Rome, Italy",${index % 1_000}.50\n`)}`,
    ),
  ],
  'CSV, 0.5 M columns': () => [
    text(`${repeated(5 * MB, (index) => `c${index},`)}\n${repeated(5 * MB, (index) => `${index},`)}\n`),
  ],
  'listing 25 MB': () => [text(repeated(25 * MB, (index) => `./src/folder${index % 500}/file-${index}.ts\n`))],
  'diff 10 MB': () => [
    text(
      repeated(
        10 * MB,
        (index) =>
          `diff --git a/f${index}.ts b/f${index}.ts\n--- a/f${index}.ts\n+++ b/f${index}.ts\n@@ -1,3 +1,3 @@\n context\n-old ${index}\n+new ${index}\n`,
      ),
    ),
  ],
  'Markdown 10 MB': () => [
    text(repeated(10 * MB, (index) => `## Part ${index}\n\nSome words, and a [link](x).\n\n- item\n\n`)),
  ],
  'TOML 10 MB': () => [
    text(repeated(10 * MB, (index) => `[part.${index}]\nname = "n ${index}"\nport = ${index % 65_536}\n\n`)),
  ],
  'TypeScript 4 MB, of this project': () => [text(ownSources(4_000_000))],
  'Python 4 MB': () => [
    text(
      repeated(
        4_000_000,
        (index) => `class C${index}:\n    def run(self, x):\n        y = x + 1\n        return y\n\n`,
      ),
    ),
  ],
  'prose 10 MB': () => [
    text(
      repeated(
        10 * MB,
        (index) =>
          `The ${index}th paragraph tells something of the house and its people. They went on, and came home late.\n\n`,
      ),
    ),
  ],
  'one line of 100 MB': () => [text('x'.repeat(100 * MB))],
  'words on one line, 25 MB': () => [text(repeated(25 * MB, (index) => `word${index} `))],
  'base64 13 MB': () => [text(Buffer.alloc(10 * MB, 'some bytes of a file').toString('base64'))],
  'blank lines 10 MB': () => [text('\n'.repeat(10 * MB))],
  'fences 10 MB': () => [text('```\n'.repeat(2.5 * MB))],
  'braces 10 MB': () => [text('{'.repeat(10 * MB))],
  'carriage returns 10 MB': () => [text(repeated(10 * MB, (index) => `\rprogress ${index}%`))],
  'NUL 10 MB': () => [text(repeated(10 * MB, (index) => `line ${index}\0\0x\0\n`))],
  '2,000 blocks of 20 KB': () =>
    Array.from({ length: 2_000 }, (_, index) => text(repeated(20_000, (line) => log(index + line)))),
  'text document 25 MB': () => [
    { type: 'document', mediaType: 'text/plain', data: Buffer.from(repeated(25 * MB, log)) },
  ],
}

const inputOf = (name: string): object =>
  name.startsWith('TypeScript') ? { path: 'a.ts' } : name.startsWith('Python') ? { path: 'a.py' } : {}

const CALLS: Record<string, object> = {
  pattern: { pattern: 'worker \\d+7 did' },
  'pattern, none': { pattern: 'zz\\d+q$' },
  query: { query: 'failed part of the house' },
  lines: { line_range: { start: 100_000, end: 100_010 } },
  whole: {},
  'JSON path': { json_path: '$[199999].name' },
  'JSON path, all': { json_path: '$..zip' },
  SQL: { sql: 'SELECT count(*) FROM t' },
}

const wanted = process.argv.slice(2)
const rows: string[][] = []
for (const [name, make] of Object.entries(CONTENTS)) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue
  const longest: Record<string, number> = {}
  const total: Record<string, number> = {}
  const count: Record<string, number> = {}
  const measure = async (phase: string, work: () => Promise<unknown>): Promise<void> => {
    const turns = await turnsOf(work)
    longest[phase] = Math.min(
      longest[phase] ?? Infinity,
      turns.reduce((most, turn) => Math.max(most, ownTime(turn)), 0),
    )
    total[phase] = Math.min(
      total[phase] ?? Infinity,
      turns.reduce((sum, turn) => sum + ownTime(turn), 0),
    )
    count[phase] = turns.length
  }
  const content = make()
  for (let run = 0; run < RUNS; run++) {
    const storage = new InMemoryStorage()
    const offloader = new ContextOffloader({ storage })
    let reference: string | undefined
    await measure('offload', async () => {
      const outcome = await offloader.offload({
        toolName: 'read_file',
        toolCallId: `call_${run}`,
        input: inputOf(name),
        content,
      })
      if (outcome.status !== 'offloaded') throw new Error(`${name} was not offloaded.`)
      reference = outcome.stored[0]?.reference
    })
    for (const [phase, call] of Object.entries(CALLS))
      await measure(phase, () => offloader.retrievalTool.execute({ reference, ...call }))
    await storage.close()
  }
  const row = Object.values(longest)
  rows.push([
    name,
    ...row.map((value) => `${value.toFixed(1)}${value > LIMIT_MS ? ' !' : ''}`),
    `${total['offload']?.toFixed(0)}`,
    `${count['offload']}`,
  ])
  console.error(rows.at(-1)?.join(' | '))
}
console.log(table(['ms of CPU', 'offload', ...Object.keys(CALLS), 'offload, sum', 'turns'], rows))
