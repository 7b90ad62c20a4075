// Measures the cost of an offload of 10 MB without its preview, and its minimum: encoding (indented JSON), newline scan,
// and SHA-256. The three are measured in turn, so that other work on the machine affects all of them.
//   node --expose-gc speed/parts.ts [ROUNDS]
import { seededRandom } from '@spillway-internal/test-run/seeded-random'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { makeFile, stats, table } from './lib.mjs'
import { offload, open, preview } from './ours.ts'

const BYTES = 10 << 20
const PREVIEW_TOKENS = 1_000
const rounds = Number(process.argv[2] ?? 15)

type Content = { type: 'text'; text: string } | { type: 'json'; json: unknown }

const inputs: Record<string, () => Content> = {
  text: () => ({ type: 'text', text: readFileSync(makeFile('log', 10), 'latin1') }),
  utf8: () => ({ type: 'text', text: readFileSync(makeFile('utf8', 10), 'utf8') }),
  json: () => ({ type: 'json', json: records() }),
}

function records(): unknown {
  const random = seededRandom(99)
  const items: unknown[] = []
  for (let id = 0, size = 0; size < BYTES; id++) {
    const plan = random() < 0.3 ? 'pro' : 'free'
    const item = { id, name: `user${id}`, email: `u${Math.floor(random() * 1e6)}@example.com`, plan, tags: ['a', 'b'] }
    items.push(item)
    size += JSON.stringify(item).length + 1
  }
  return { items, next_cursor: 'eyJvIjo4MDB9', status: 'partial' }
}

const serialised = (content: Content): string =>
  content.type === 'text' ? content.text : JSON.stringify(content.json, null, 2)

function floor(content: Content): number {
  const bytes = new TextEncoder().encode(serialised(content))
  let lines = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  return lines + hash('sha256', bytes).length
}

async function time(run: () => unknown): Promise<number> {
  globalThis.gc?.()
  const start = performance.now()
  await run()
  return performance.now() - start
}

const rows: string[][] = []
for (const [form, make] of Object.entries(inputs)) {
  const content = make()
  const text = serialised(content)
  const times = { floor: [] as number[], preview: [] as number[], offload: [] as number[] }
  for (let round = -2; round < rounds; round++) {
    const call = {
      session: 's',
      id: `call_${round}`,
      content: [content],
      maxTokens: 2_500,
      previewTokens: PREVIEW_TOKENS,
    }
    const storage = await open('memory')
    const measured = {
      floor: await time(() => floor(content)),
      preview: await time(() => preview(text, PREVIEW_TOKENS)),
      offload: await time(() => offload(storage, call)),
    }
    await storage.close()
    if (round < 0) continue
    for (const name of ['floor', 'preview', 'offload'] as const) times[name].push(measured[name])
  }
  const [base, shown, whole] = [times.floor, times.preview, times.offload].map((all) => stats(all).med as number)
  const beside = stats(times.offload.map((value, round) => value - (times.preview[round] ?? 0))).med as number
  const megabytes = text.length / 1e6
  rows.push([
    form,
    ...[base, shown, whole, beside].map((value) => `${value?.toFixed(1)} ms`),
    `x${(beside / (base ?? 1)).toFixed(2)}`,
    `${((shown ?? 0) / megabytes).toFixed(1)} ms/MB`,
  ])
}
const head = [
  '10 MB of',
  'floor',
  'preview alone',
  'offload',
  'offload without preview',
  'to the floor',
  'preview per MB',
]
console.log(`node ${process.version}, medians of ${rounds} rounds\n\n${table(head, rows)}`)
