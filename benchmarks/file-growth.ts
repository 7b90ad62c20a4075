/**
 * Measures the cost of storing a block in `FileStorage` directories of 1,000 and 100,000 entries in one scope.
 *
 * The two measurements alternate in batches, so that other work on the machine affects both. Run it with `node
 * benchmarks/file-growth.ts [--entries 100000] [--directory DIR]`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FileStorage } from '@spillway/file'

const SMALL = 1_000
const ROUNDS = 11
const BATCH = 100
const PARALLEL_WHILE_FILLING = 16
const MAX_RATIO = 1.5
const BLOCK_BYTES = 4_096

const { values } = parseArgs({ options: { entries: { type: 'string' }, directory: { type: 'string' } } })
const large = Number(values.entries ?? 100_000)
const directory = await mkdtemp(join(values.directory ?? tmpdir(), 'spillway-growth-'))

type Session = ReturnType<FileStorage['scope']>

try {
  const few = new FileStorage(join(directory, 'few')).scope('session')
  const many = new FileStorage(join(directory, 'many')).scope('session')
  await fill(few, SMALL)
  const seconds = await fill(many, large)
  console.log(`filled with ${large} entries of ${BLOCK_BYTES} bytes in ${seconds.toFixed(0)} s`)

  const costs: { few: number[]; many: number[] } = { few: [], many: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    costs.few.push(await batch(few, round))
    costs.many.push(await batch(many, round))
  }
  const ratio = median(costs.many) / median(costs.few)
  console.log(`one store at ${SMALL} entries:  ${median(costs.few).toFixed(0)} µs (median of ${ROUNDS} × ${BATCH})`)
  console.log(`one store at ${large} entries: ${median(costs.many).toFixed(0)} µs`)
  console.log(`ratio: ${ratio.toFixed(2)} (must be at most ${MAX_RATIO})`)
  process.exitCode = ratio <= MAX_RATIO ? 0 : 1
} finally {
  await rm(directory, { recursive: true })
}

async function fill(session: Session, count: number): Promise<number> {
  const start = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) await session.store(`entry ${(next += 1)}`, block(next))
  }
  await Promise.all(Array.from({ length: PARALLEL_WHILE_FILLING }, work))
  return (performance.now() - start) / 1_000
}

/** Store some blocks one after another. Returns the microseconds per block. */
async function batch(session: Session, round: number): Promise<number> {
  const start = performance.now()
  for (let index = 0; index < BATCH; index += 1)
    await session.store(`batch ${round} ${index}`, block(round * BATCH + index))
  return ((performance.now() - start) * 1_000) / BATCH
}

function block(seed: number): Uint8Array {
  return new Uint8Array(BLOCK_BYTES).fill(seed & 0xff)
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
