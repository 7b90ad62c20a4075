/**
 * Measures the server of the inspector: `node packages/inspector/test/measure.ts`. Writes 1 GB to a temporary folder.
 */
import { ContextOffloader } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { createInspector } from '@spillway/inspector'
import { InMemoryStorage } from '@spillway/memory'
import { serve } from '@spillway/server/node'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LineReader, type LineBlocks } from '../src/page/line-reader.ts'

const LINES = 10_000_001
const ENTRIES = 100_000
const MEGABYTE = 1_048_576

async function* lines(): AsyncGenerator<Uint8Array> {
  const batch = 20_000
  for (let at = 0; at < LINES; at += batch) {
    const count = Math.min(batch, LINES - at)
    yield Buffer.from(Array.from({ length: count }, (_, index) => `${at + index + 1} ${'.'.repeat(90)}\n`).join(''))
  }
}

const folder = mkdtempSync(join(tmpdir(), 'spillway-measure-'))
try {
  const many = new InMemoryStorage({ evictAfterTurns: null })
  for (let index = 0; index < ENTRIES; index++) await many.store(`entry ${index}`, Buffer.from(`${index}`))
  const before = rss()
  const listing = await served(many)
  const first = await timed(() => listing.ask('api/entries?limit=50'))
  const second = await timed(() => listing.ask('api/entries?limit=50&sort=reference'))
  row('first 50 of 100,000 entries', `${first} ms CPU`)
  row('the same sorted otherwise', `${second} ms CPU`)
  row('memory for the snapshot', `${rss() - before} MB`)
  await listing.close()

  const storage = new FileStorage(folder)
  const reference = await storage.storeStream('large', lines(), 'text/plain')
  const { ask, send, close } = await served(storage)
  const start = rss()
  let read = 0
  const blocks = await ask<LineBlocks>(`api/lines?reference=${reference}`)
  row('line index of 1 GB', `${Math.round(JSON.stringify(blocks).length / 1_000)} KB`)
  const reader = new LineReader(blocks, async (from, to) => {
    read += to - from
    const response = await send(`api/content?reference=${reference}`, { range: `bytes=${from}-${to - 1}` })
    return new Uint8Array(await response.arrayBuffer())
  })
  await reader.load(LINES - 2, LINES - 1)
  row('bytes read for line 10,000,000', `${read}, which begins with ${reader.row(LINES - 2)?.text.slice(0, 8)}`)
  for (let at = 0; at < LINES; at += 25_000) await reader.load(at, Math.min(LINES - 1, at + 40))
  row('memory while 1 GB is scrolled', `${rss() - start} MB, ${Math.round(read / MEGABYTE)} MB read`)
  await close()
} finally {
  rmSync(folder, { recursive: true })
}

async function served(storage: InMemoryStorage | FileStorage): Promise<{
  ask<Answer>(path: string): Promise<Answer>
  send(path: string, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}> {
  const inspector = createInspector({ storage })
  const service = await serve(new ContextOffloader({ storage }), { port: 0, mount: inspector })
  const opened = await fetch(inspector.url(service.url), { redirect: 'manual' })
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
  const send = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.url}/${path}`, { headers: { cookie, ...headers } })
  return {
    send,
    ask: async <Answer>(path: string) => (await (await send(path)).json()) as Answer,
    close: () => service.close({ graceMs: 1 }),
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begin = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(begin)
  return Math.round((user + system) / 1_000)
}

function rss(): number {
  return Math.round(process.memoryUsage().rss / MEGABYTE)
}

function row(name: string, value: string): void {
  console.log(`${name.padEnd(34)}${value}`)
}
