/**
 * Measures the cost of `compressed` and `encrypted`: storing and retrieving content with and without them, in memory
 * and in files. It also measures the stored size of content.
 *
 * All variants are measured in turn, so that other work on the machine affects all of them. The content is the public
 * corpus (`--data DIR`, see benchmarks/preview) and a generated log. Run it with `node benchmarks/wrappers.ts [--data
 * DIR] [--rounds 7]`.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setContentCacheBytes, type ManagedStorage } from '@spillway/core'
import { compressed, encrypted } from '@spillway/core/wrappers'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { generateLog } from './report/generate-log.ts'
import { table } from './report/table.ts'
import { known } from './report/known.ts'

const MB = 1_000_000
const LARGE = 8 * MB
const SMALL = 16_384
const SMALL_COUNT = 50
const RANGE = 65_536
const RANGES = 20

const { values } = parseArgs({ options: { data: { type: 'string' }, rounds: { type: 'string' } } })
const rounds = Number(values.rounds ?? 7)
const key = new Uint8Array(32).fill(7)

type Wrap = (storage: ManagedStorage) => ManagedStorage
const WAYS: ReadonlyMap<string, Wrap> = new Map<string, Wrap>([
  ['as it is', (storage) => storage],
  ['gzip', (storage) => compressed(storage)],
  ['zstd', (storage) => compressed(storage, { codec: 'auto' })],
  ['encrypted', (storage) => encrypted(storage, { key })],
  ['gzip, encrypted', (storage) => compressed(encrypted(storage, { key }))],
])
const OPERATIONS = ['store 8 MB', 'retrieve 8 MB', 'store 16 KB', 'retrieve 16 KB', 'ranges of 64 KB'] as const
/** Bytes that each operation processes. */
const BYTES = [LARGE, LARGE, SMALL_COUNT * SMALL, SMALL_COUNT * SMALL, RANGES * RANGE] as const

setContentCacheBytes(0)
const log = new TextEncoder().encode(generateLog(LARGE)).subarray(0, LARGE)
await printRatios()
await measure(
  'memory',
  async () => new InMemoryStorage(),
  async () => undefined,
)
const directory = await mkdtemp(join(tmpdir(), 'spillway-wrappers-'))
try {
  let next = 0
  await measure(
    'files',
    async () => new FileStorage(join(directory, String((next += 1)))),
    async () => await rm(join(directory, String(next)), { recursive: true }),
  )
} finally {
  await rm(directory, { recursive: true })
}

/** Print the compressed size of each kind of content. */
async function printRatios(): Promise<void> {
  const kinds: [string, Uint8Array][] = [['generated log', log]]
  for (const kind of ['logs', 'json', 'csv', 'html', 'code'])
    if (values.data !== undefined && existsSync(join(values.data, kind)))
      kinds.push([kind, await gathered(join(values.data, kind))])
  const rows: string[][] = []
  for (const [kind, content] of kinds) {
    const shares = [await shareLeft(content, 'gzip'), await shareLeft(content, 'auto')]
    rows.push([kind, (content.length / MB).toFixed(1), ...shares.map((share) => `${(share * 100).toFixed(1)} %`)])
  }
  console.log(`${table(['content', 'MB', 'gzip leaves', 'zstd leaves'], rows)}\n`)
}

async function shareLeft(content: Uint8Array, codec: 'gzip' | 'auto'): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-wrappers-'))
  try {
    await compressed(new FileStorage(folder), { codec }).store('content', content)
    const sizes = await Promise.all(
      (await readdir(folder))
        .filter((name) => !name.startsWith('.'))
        .map(async (name) => (await stat(join(folder, name))).size),
    )
    return known(sizes[0]) / content.length
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Join the files of a folder, up to 8 MB. */
async function gathered(folder: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) parts.push(await readFile(join(entry.parentPath, entry.name)))
  return new Uint8Array(Buffer.concat(parts).subarray(0, LARGE))
}

/** Measure all variants in turn, and print the medians. */
async function measure(name: string, open: () => Promise<ManagedStorage>, dispose: () => Promise<void>): Promise<void> {
  const costs = new Map([...WAYS.keys()].map((way) => [way, OPERATIONS.map((): Cost[] => [])]))
  for (let round = -1; round < rounds; round += 1)
    for (const [way, wrap] of WAYS) {
      const taken = await operate(wrap(await open()))
      await dispose()
      // The first round warms up.
      if (round >= 0) for (const [index, cost] of taken.entries()) known(known(costs.get(way))[index]).push(cost)
    }
  const plain = known(costs.get('as it is')).map((all) => median(all.map(({ elapsed }) => elapsed)))
  const speeds = [...costs].map(([way, all]) => [
    way,
    ...all.map((one, index) => {
      const elapsed = median(one.map((cost) => cost.elapsed))
      return `${(known(BYTES[index]) / 1_000 / elapsed).toFixed(0)} (${(known(plain[index]) / elapsed).toFixed(2)})`
    }),
  ])
  const work = [...costs].map(([way, all]) => [
    way,
    ...all.map((one, index) => (median(one.map((cost) => cost.work)) / (known(BYTES[index]) / MB)).toFixed(1)),
  ])
  console.log(`${name}: MB/s, and the share of the speed without a wrapper; medians of ${rounds}\n`)
  console.log(`${table(['', ...OPERATIONS], speeds)}\n`)
  console.log(`${name}: milliseconds of processor time for each MB, those of all threads\n`)
  console.log(`${table(['', ...OPERATIONS], work)}\n`)
}

/** Time of an operation, in milliseconds. */
interface Cost {
  readonly elapsed: number
  /** CPU time, which does not depend on other work on the machine. */
  readonly work: number
}

/** Run the operations. Returns their times. */
async function operate(storage: ManagedStorage): Promise<Cost[]> {
  const costs: Cost[] = []
  const timed = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const before = process.cpuUsage()
    const start = performance.now()
    const result = await run()
    const { user, system } = process.cpuUsage(before)
    costs.push({ elapsed: performance.now() - start, work: (user + system) / 1_000 })
    return result
  }
  const large = await timed(() => storage.store('large', log))
  await timed(() => storage.retrieve(large))
  const small = await timed(async () => {
    const references: string[] = []
    for (let index = 0; index < SMALL_COUNT; index += 1)
      references.push(await storage.store(`small ${index}`, log.subarray(index * SMALL, (index + 1) * SMALL)))
    return references
  })
  await timed(async () => {
    for (const reference of small) await storage.retrieve(reference)
  })
  await timed(async () => {
    for (let index = 0; index < RANGES; index += 1)
      await storage.retrieveRange(large, { offset: ((index * 37) % 120) * RANGE, length: RANGE })
  })
  return costs
}

function median(times: readonly number[]): number {
  return known(times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)])
}
