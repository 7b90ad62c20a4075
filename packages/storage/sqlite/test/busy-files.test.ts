import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { collect } from './support/collect.ts'
import { countTurns } from './support/count-turns.ts'
import { opened } from './support/opened.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes, pattern, streamOf, text } from './support/text.ts'

/** Hold the database like another process that writes. */
function holding(path: string): Database.Database {
  const other = new Database(path)
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  return other
}

describe('while another connection writes,', () => {
  test('stores wait without blocking the event loop, and readers do not wait', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const first = await storage.store('first', bytes('first'))
    const other = holding(path)
    const storing = Promise.all([
      storage.store('second', bytes('second')),
      storage.storeStream('third', streamOf(bytes('third'))),
      storage.delete(first, { unusedSince: 0 }),
    ])
    // Only this code ends the transaction. If the store blocked the event loop meanwhile, it would time out.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(text((await storage.retrieve(first)).content)).toBe('first')
    expect(await collect(storage.list())).toHaveLength(1)
    other.exec('COMMIT')
    const [second] = await storing
    expect(text((await storage.retrieve(second)).content)).toBe('second')
  })

  test('stores reject after busyTimeoutMs with an error that names it, and work afterwards', async () => {
    const path = await temporaryPath()
    const storage = opened({ path, busyTimeoutMs: 30 })
    await storage.store('first', bytes('first'))
    const other = holding(path)
    const stores = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => storage.store(`${index}`, bytes('x'))),
    )
    for (const result of stores)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'unavailable',
          retryable: true,
          message: expect.stringContaining('busyTimeoutMs (30)') as string,
        },
      })
    other.exec('ROLLBACK')
    await storage.store('second', bytes('second'))
    expect(await collect(storage.list())).toHaveLength(2)
  })

  test('a large store that times out leaves nothing after gc', async () => {
    const path = await temporaryPath()
    let now = Date.now()
    const storage = opened({ path, busyTimeoutMs: 20, now: () => now })
    await storage.store('first', bytes('first'))
    let other: Database.Database | undefined
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield pattern(5_000_000)
      other = holding(path)
      yield pattern(5_000_000)
    }
    await expect(storage.storeStream('large', chunks())).rejects.toMatchObject({ code: 'unavailable' })
    other?.exec('ROLLBACK')
    now += 3_600_000
    const report = await storage.gc()
    expect(report.leftovers).toBe(1)
    expect(report.bytes).toBeGreaterThan(2_000_000)
    expect(other?.prepare('SELECT count(*) FROM spillway_chunk').pluck().get()).toBe(1)
  })

  test('waiting operations continue one after the other, and do not block the event loop', async () => {
    const path = await temporaryPath()
    const storage = opened({ path, busyTimeoutMs: 60_000 })
    await storage.store('first', bytes('first'))
    const other = holding(path)
    const storing = Promise.all(Array.from({ length: 200 }, (_, index) => storage.store(`${index}`, bytes('x'))))
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    const clock = vi.spyOn(performance, 'now')
    onTestFinished(() => clock.mockRestore())
    let now = performance.now()
    clock.mockImplementation(() => (now += 1))
    other.exec('ROLLBACK')
    expect(await countTurns(() => storing)).toBeGreaterThanOrEqual(15)
  })

  test('the first use of a new file waits too', async () => {
    const path = await temporaryPath()
    const other = new Database(path)
    onTestFinished(() => void other.close())
    other.exec('BEGIN EXCLUSIVE')
    const storing = opened(path).store('key', bytes('content'))
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    other.exec('ROLLBACK')
    await expect(storing).resolves.toMatch(/^key_/)
  })
})
