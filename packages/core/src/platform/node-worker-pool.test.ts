import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { createWorkerPool, WorkerFailure, WorkerTimeout } from './node-worker-pool.ts'

/** Echoes a number, spins for ever at `spin`, ends at `exit`, and uses up its memory at `fill`. */
const SOURCE = `
import('node:worker_threads').then(({ parentPort }) => {
  parentPort.on('message', (message) => {
    if (message === 'spin') for (;;);
    if (message === 'exit') process.exit(3)
    if (message === 'fill') for (const kept = []; ; ) kept.push(new Array(1e5).fill(message))
    parentPort.postMessage(message)
  })
})
`

const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )

it('answers more calls at once than it has workers', async () => {
  const pool = createWorkerPool(SOURCE)
  const calls = Array.from({ length: 20 }, (_, index) => pool.run(index, 10_000))
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => index))
})

it('ends a worker that takes too long, and serves those who waited for it', async () => {
  const pool = createWorkerPool(SOURCE)
  const spinning = Array.from({ length: 5 }, () => reasonOf(pool.run('spin', 50)))
  expect(await pool.run('after', 10_000)).toBe('after')
  for (const reason of await Promise.all(spinning)) expect(reason).toBeInstanceOf(WorkerTimeout)
})

it('ends what is aborted, gives its place to others, and never asks for a place that nobody waits for', async () => {
  const pool = createWorkerPool(SOURCE)
  const controller = new AbortController()
  const spinning = Array.from({ length: 8 }, () => reasonOf(pool.run('spin', 60_000, controller.signal)))
  const after = pool.run('after', 10_000)
  await new Promise((resolve) => setTimeout(resolve, 100))
  controller.abort('enough')
  expect(await Promise.all(spinning)).toEqual(spinning.map(() => 'enough'))
  expect(await after).toBe('after')
  const next = Array.from({ length: 8 }, (_, index) => pool.run(index, 10_000))
  expect(await Promise.all(next)).toEqual(next.map((_, index) => index))
})

it('serves short runs while more long ones than it has workers want all their time', async () => {
  const pool = createWorkerPool(SOURCE, { shortMs: 300 })
  const controller = new AbortController()
  const long = Array.from({ length: 8 }, () => reasonOf(pool.run('spin', 600_000, controller.signal)))
  const short = Array.from({ length: 6 }, (_, index) => pool.run(index, 10_000))
  expect(await Promise.all(short)).toEqual([0, 1, 2, 3, 4, 5])
  controller.abort('enough')
  expect(await Promise.all(long)).toEqual(long.map(() => 'enough'))
})

it('gives long runs all their time, one after the other', async () => {
  const pool = createWorkerPool(SOURCE, { shortMs: 20 })
  const reasons = await Promise.all(Array.from({ length: 9 }, () => reasonOf(pool.run('spin', 100))))
  for (const reason of reasons) expect(reason).toBeInstanceOf(WorkerTimeout)
})

it('replaces a worker that ends or runs out of memory', async () => {
  const pool = createWorkerPool(SOURCE)
  for (const message of ['exit', 'fill']) {
    const reason = await reasonOf(pool.run(message, 20_000))
    expect(reason).toBeInstanceOf(WorkerFailure)
    expect(reason).toMatchObject({ started: true })
    expect(await pool.run('next', 10_000)).toBe('next')
  }
})

it('never hands work to a worker that ends for want of it', async () => {
  const pool = createWorkerPool(SOURCE, { idleMs: 1 })
  for (let run = 0; run < 60; run += 1) {
    await expect(pool.run(run, 10_000)).resolves.toBe(run)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
})

it.skipIf(!('getHeapStatistics' in Worker.prototype))(
  'ends a worker that takes too much memory outside its heap',
  async () => {
    const hoard = `import('node:worker_threads').then(({ parentPort }) => {
    parentPort.on('message', () => {
      const kept = []
      const more = () => { kept.push(new Uint8Array(8e6).fill(1)); setTimeout(more, 20) }
      more()
    })
  })`
    const pool = createWorkerPool(hoard, { maxMemoryMb: 100 })
    const begin = performance.now()
    expect(await reasonOf(pool.run('hoard', 20_000))).toBeInstanceOf(WorkerFailure)
    expect(performance.now() - begin).toBeLessThan(10_000)
  },
)
