import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage, type ManagedStorage, type StorageDriver } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { expect, it, onTestFinished, vi } from 'vitest'
import { head, pause } from './raw-request.ts'
import { startService, type TestService } from './start-service.ts'

/** A storage in memory that can be made unreachable. */
function outageStorage(): { readonly storage: ManagedStorage; readonly state: { isDown: boolean } } {
  const state = { isDown: false }
  const entries = new Map<string, { readonly content: Uint8Array; readonly info: object }>()
  const reach = async (): Promise<void> => {
    if (state.isDown) throw new Error('connect ECONNREFUSED 10.1.2.3:6379')
  }
  const driver = {
    async write(id: string, chunks: AsyncIterable<Uint8Array>, info: object) {
      await reach()
      const all: Uint8Array[] = []
      for await (const chunk of chunks) all.push(chunk.slice())
      const content = new Uint8Array(Buffer.concat(all))
      entries.set(id, { content, info: { ...info, size: content.length } })
      return true
    },
    async read(id: string, range?: { readonly offset: number; readonly length: number }) {
      await reach()
      const entry = entries.get(id)
      if (entry === undefined) return undefined
      const { offset, length } = range ?? { offset: 0, length: entry.content.length }
      return { info: entry.info, content: entry.content.slice(offset, offset + length) }
    },
    async remove(id: string) {
      await reach()
      return entries.delete(id)
    },
    async *list(prefix: string) {
      await reach()
      for (const [id, { info }] of entries) if (id.startsWith(prefix)) yield { id, info }
    },
  }
  return { storage: createStorage(driver as unknown as StorageDriver), state }
}

const text = 'a line of a large result\n'.repeat(2_000)
const offload = { toolName: 'tool', toolCallId: 'call_1', content: [{ type: 'text', text }] }
const messages = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 't', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: text },
  { role: 'assistant', content: 'done' },
  { role: 'user', content: 'and now' },
]
const compact = { messages, context_manage_mode: 'compact', max_total_tokens: 1_000, store_dir: '/workspace/store' }

it('a storage that is down for an hour is never reported as a missing entry, and nothing is lost', async () => {
  const { storage, state } = outageStorage()
  const service = await startService({ storage })
  const stored = (await service.post('/v1/offload', offload)).json['stored'] as unknown as [{ reference: string }]
  const [{ reference }] = stored
  const { json } = await service.post('/context_offload', compact)
  const [absolute_path = ''] = Object.keys(json.metadata.write_file_dict)
  const requests: readonly (() => Promise<{ status: number; headers: Headers; json: unknown }>)[] = [
    () => service.get(`/v1/entries/${reference}`),
    () => service.get(`/v1/entries/${reference}/content`),
    () => service.get('/v1/entries'),
    () => service.get('/v1/stats'),
    () => service.post('/v1/retrieve', { reference }),
    () => service.post('/v1/retrieve', { pattern: 'line' }),
    () => service.post('/v1/search', { pattern: 'line' }),
    () => service.post('/grep', { pattern: 'line' }),
    () => service.post('/read_file', { absolute_path }),
    () => service.post('/v1/offload', offload),
    () => service.post('/context_offload', compact),
    () => service.post('/v1/history/expand', { format: 'reme', messages: json.messages }),
  ]
  state.isDown = true
  const now = Date.now()
  onTestFinished(() => void vi.restoreAllMocks())
  for (const minutes of [0, 59]) {
    vi.spyOn(Date, 'now').mockReturnValue(now + minutes * 60_000)
    for (const [index, request] of requests.entries()) {
      const answer = await request()
      expect([index, answer.status, answer.headers.get('retry-after')]).toEqual([index, 503, '5'])
      expect(JSON.stringify(answer.json)).toContain('"code":"unavailable"')
      expect(JSON.stringify(answer.json)).not.toContain('10.1.2.3')
    }
    const upload = await fetch(`${service.url}/v1/offload/content?toolName=t&toolCallId=c`, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'text/plain' },
    })
    expect(upload.status).toBe(503)
    expect((await fetch(`${service.url}/v1/entries/${reference}`, { method: 'DELETE' })).status).toBe(503)
    for (const path of ['/health', '/metrics']) expect((await fetch(service.url + path)).status).toBe(200)
  }
  // The caller gets back the messages that it sent.
  expect((await service.post('/context_offload', compact)).json.messages).toEqual(messages)
  state.isDown = false
  expect(await fetch(`${service.url}/v1/entries/${reference}/content`).then((answer) => answer.text())).toBe(text)
  expect((await service.post('/read_file', { absolute_path })).json.answer).toBe(text)
  expect((await service.post('/v1/offload', offload)).json['stored']).toEqual(stored)
})

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'server-restart-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const UPLOAD = '/v1/offload/content?toolName=t&toolCallId=c'

/** Send the first half of an upload. Returns the bytes that arrive until the connection ends. */
async function sendHalf(port: number): Promise<{ readonly answer: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  const closed = once(socket, 'close').then(() => Buffer.concat(chunks).toString())
  const headers = { 'content-type': 'text/plain', 'content-length': `${2 * text.length}` }
  await new Promise<void>((resolve) => socket.write(head(UPLOAD, headers) + text, () => resolve()))
  return { answer: closed }
}

/** Check that only the earlier entry exists, and that the same upload creates one entry. */
async function expectWhole(service: TestService, reference: string): Promise<void> {
  const listed = async (): Promise<string[]> => {
    const { entries } = (await service.get('/v1/entries')).json as unknown as { entries: { reference: string }[] }
    return entries.map((entry) => entry.reference)
  }
  expect(await listed()).toEqual([reference])
  const [{ reference: again }] = (await service.post('/v1/offload', offload)).json['stored'] as unknown as [
    { reference: string },
  ]
  expect(again).toBe(reference)
  for (let count = 0; count < 2; count += 1) {
    const init = { method: 'POST', body: text.repeat(2), headers: { 'content-type': 'text/plain' } }
    expect((await fetch(service.url + UPLOAD, init)).status).toBe(200)
  }
  expect((await listed()).length).toBeLessThanOrEqual(3)
}

it('a service that is closed during an upload answers with an error, and keeps the data that it acknowledged', async () => {
  const directory = await folder()
  const service = await startService({ storage: new FileStorage(directory) })
  const [{ reference }] = (await service.post('/v1/offload', offload)).json['stored'] as unknown as [
    { reference: string },
  ]
  const { answer } = await sendHalf(service.port)
  await service.inFlight(1)
  await service.close({ graceMs: 0 })
  expect(await answer).toMatch(/^HTTP\/1\.1 503 .*"shutting-down".*"retryable":true/s)
  await expectWhole(await startService({ storage: new FileStorage(directory) }), reference)
})

it('a service that is killed during an upload still has the acknowledged data after a restart', async () => {
  const directory = await folder()
  const program = join(import.meta.dirname, 'programs/file-service.ts')
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = line.toString().trim()
  const response = await fetch(`${url}/v1/offload`, {
    method: 'POST',
    body: JSON.stringify(offload),
    headers: { 'content-type': 'application/json' },
  })
  const { stored } = (await response.json()) as { stored: [{ reference: string }] }
  const { answer } = await sendHalf(Number(new URL(url).port))
  const isUnderWay = async (): Promise<boolean> =>
    (await (await fetch(`${url}/metrics`)).text()).includes('spillway_http_requests_in_flight 2')
  while (!(await isUnderWay())) await pause(10)
  child.kill('SIGKILL')
  expect(await answer).toBe('')
  await expectWhole(await startService({ storage: new FileStorage(directory) }), stored[0].reference)
})
