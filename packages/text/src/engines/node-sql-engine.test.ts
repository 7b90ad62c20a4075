import { expect, it, onTestFinished } from 'vitest'
import { nodeSqlEngine } from './node-sql-engine.ts'
import type { CellBatch } from './sql-engine.ts'

/**
 * SQLite that posts to `channel` whether a closed database has an open statement. Such a statement keeps the memory of
 * the database.
 */
const telling = (channel: string): string =>
  `data:text/javascript,${encodeURIComponent(`
import { BroadcastChannel } from 'node:worker_threads'
import init from ${JSON.stringify(import.meta.resolve('@sqlite.org/sqlite-wasm'))}
const channel = new BroadcastChannel(${JSON.stringify(channel)})
channel.unref()
export default async () => {
  const { capi, wasm } = await init()
  const sqlite3_close_v2 = (db) => {
    channel.postMessage(capi.sqlite3_next_stmt(db, 0) !== 0)
    return capi.sqlite3_close_v2(db)
  }
  return { capi: { ...capi, sqlite3_close_v2 }, wasm }
}
`)}`

it('the SQL engine frees the tables after a load failed while it read rows', async () => {
  const name = `closed-${crypto.randomUUID()}`
  const channel = new BroadcastChannel(name)
  onTestFinished(() => channel.close())
  const closed = new Promise((resolve) => channel.addEventListener('message', ({ data }) => resolve(data)))
  async function* batches(): AsyncGenerator<CellBatch> {
    yield { table: 0, names: ['a'], bytes: Uint8Array.of(49), lengths: Int32Array.of(2) }
    throw new Error('no more rows')
  }
  const engine = nodeSqlEngine(telling(name))
  await expect(engine.load(batches, { deadlineMs: 30_000, caller: undefined })).rejects.toThrow('no more rows')
  expect(await closed).toBe(false)
})
