import { isFull } from '@spillway-internal/test-run'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { createWorkerPool } from './node-worker-pool.ts'

/** Returns a number, loops forever at `spin` or a shared counter, exits at `exit`, and fills its memory at `fill`. */
const SOURCE = `
import('node:worker_threads').then(({ parentPort }) => {
  parentPort.on('message', (message) => {
    if (message === 'spin') for (;;);
    if (message instanceof Int32Array) {
      Atomics.add(message, 0, 1)
      Atomics.notify(message, 0)
      for (;;);
    }
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

it('the worker pool answers all calls even if there are more calls than workers', async () => {
  const pool = createWorkerPool(SOURCE)
  const calls = Array.from({ length: 20 }, (_, index) => pool.run(index, 10_000))
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => index))
})

// A timer that does not keep the loop running stands for a compiler, which does not either.
it('the worker pool waits for a program that starts with an empty event loop', async () => {
  const pool = createWorkerPool(`setTimeout(() => { ${SOURCE} }, 50).unref()`)
  expect(await pool.run('started', 10_000)).toBe('started')
})

it('the worker pool stops a worker that takes too long, and then runs waiting calls', async () => {
  const pool = createWorkerPool(SOURCE)
  const spinning = Array.from({ length: 5 }, () => reasonOf(pool.run('spin', 50)))
  expect(await pool.run('after', 10_000)).toBe('after')
  for (const reason of await Promise.all(spinning))
    expect(reason).toMatchObject({ name: 'IsolationError', code: 'timeout' })
})

it('the worker pool serves callers in turn, even if one caller has many runs', async () => {
  const pool = createWorkerPool(SOURCE)
  const order: string[] = []
  const greedy = {}
  const run = async (name: string, caller: object): Promise<void> => {
    await reasonOf(pool.run('spin', 60, { caller }))
    order.push(name)
  }
  const runs = Array.from({ length: 16 }, () => run('greedy', greedy))
  await Promise.all([...runs, run('modest', {})])
  // At most four workers are busy, and one run of the greedy caller may come first.
  expect(order.indexOf('modest')).toBeLessThan(10)
})

it('the worker pool stops long runs of a caller above its share if other callers wait, and repeats the runs later', async () => {
  const pool = createWorkerPool(SOURCE, { shortMs: 30 })
  const controller = new AbortController()
  const greedy = Array.from({ length: 8 }, () =>
    reasonOf(pool.run('spin', 600_000, { signal: controller.signal, caller: 'greedy' })),
  )
  // Both runs of the other caller become long. Each of these runs needs a place of the greedy caller.
  const modest = Array.from({ length: 2 }, () => reasonOf(pool.run('spin', 200, { caller: 'modest' })))
  for (const reason of await Promise.all(modest))
    expect(reason).toMatchObject({ name: 'IsolationError', code: 'timeout' })
  controller.abort('enough')
  expect(await Promise.all(greedy)).toEqual(greedy.map(() => 'enough'))
})

it('the worker pool stops an aborted run, starts the next run, and never starts an aborted waiting run', async () => {
  const pool = createWorkerPool(SOURCE)
  const controller = new AbortController()
  const started = new Int32Array(new SharedArrayBuffer(4))
  const spinning = Array.from({ length: 8 }, () => reasonOf(pool.run(started, 600_000, { signal: controller.signal })))
  const after = pool.run('after', 60_000)
  while (Atomics.load(started, 0) < 2) await Atomics.waitAsync(started, 0, Atomics.load(started, 0)).value
  controller.abort('enough')
  expect(await Promise.all(spinning)).toEqual(spinning.map(() => 'enough'))
  expect(await after).toBe('after')
  const next = Array.from({ length: 8 }, (_, index) => pool.run(index, 10_000))
  expect(await Promise.all(next)).toEqual(next.map((_, index) => index))
})

it('the worker pool serves short runs while there are more long runs than workers', async () => {
  const pool = createWorkerPool(SOURCE, { shortMs: 150 })
  const controller = new AbortController()
  const long = Array.from({ length: 6 }, () => reasonOf(pool.run('spin', 600_000, { signal: controller.signal })))
  const short = Array.from({ length: 6 }, (_, index) => pool.run(index, 10_000))
  expect(await Promise.all(short)).toEqual([0, 1, 2, 3, 4, 5])
  controller.abort('enough')
  expect(await Promise.all(long)).toEqual(long.map(() => 'enough'))
})

it('the worker pool gives each long run its whole time, one after another', async () => {
  const pool = createWorkerPool(SOURCE, { shortMs: 20 })
  const reasons = await Promise.all(Array.from({ length: 6 }, () => reasonOf(pool.run('spin', 60))))
  for (const reason of reasons) expect(reason).toMatchObject({ name: 'IsolationError', code: 'timeout' })
})

it('the worker pool replaces a worker that exits or runs out of memory', async () => {
  const pool = createWorkerPool(SOURCE, { maxMemoryMb: 32 })
  for (const message of ['exit', 'fill']) {
    const reason = await reasonOf(pool.run(message, 20_000))
    expect(reason).toMatchObject({ name: 'IsolationError', code: 'ended' })
    expect(await pool.run('next', 10_000)).toBe('next')
  }
})

it('the worker pool never gives work to an idle worker that is exiting', async () => {
  const pool = createWorkerPool(SOURCE, { idleMs: 1 })
  for (let run = 0; run < (isFull ? 60 : 15); run += 1) {
    await expect(pool.run(run, 10_000)).resolves.toBe(run)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
})

it.skipIf(!('getHeapStatistics' in Worker.prototype))(
  'the worker pool stops a worker that uses too much memory outside of its heap',
  async () => {
    const hoard = `import('node:worker_threads').then(({ parentPort }) => {
    parentPort.on('message', () => {
      const kept = []
      const more = () => {
        if (kept.length < 50) kept.push(new Uint8Array(8e6).fill(1))
        setImmediate(more)
      }
      more()
    })
  })`
    const pool = createWorkerPool(hoard, { maxMemoryMb: 100 })
    expect(await reasonOf(pool.run('hoard', 10_000))).toMatchObject({ code: 'ended' })
  },
)
