import { connect } from 'node:net'
import type { Summarize } from '@spillway/core/history'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { head, pause, rawRequest } from './raw-request.ts'
import { startService, type TestService } from './start-service.ts'

/** More than a connection takes that nobody reads. */
const messages = [{ role: 'user', content: 'some words of a talk '.repeat(500_000) }]

/** Send a request, and read nothing of its answer. */
function sendUnread(service: TestService, path: string, headers: Record<string, string>, body: object): void {
  const text = JSON.stringify(body)
  const socket = connect(service.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  socket.write(head(path, { ...headers, 'content-length': `${text.length}` }) + text)
}

const heldBytes = async ({ url }: TestService): Promise<number> =>
  Number(/spillway_work_memory_bytes (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

const SSE = { accept: 'text/event-stream' }

test.for<readonly [string, string, Record<string, string>, object]>([
  ['a failure with the messages', '/context_offload', {}, { messages, context_manage_mode: 'compress' }],
  ['a stream of events', '/v1/history/compact', SSE, { messages, format: 'openai-chat', maxTotalTokens: 1e9 }],
])('%s counts as memory until it was taken', async ([, path, headers, body]) => {
  const service = await startService({ responseTimeoutMs: 1_500 })
  sendUnread(service, path, headers, body)
  while (service.log.length === 0) await pause(10)
  expect(await heldBytes(service)).toBeGreaterThan(10_000_000)
  // Who does not take it is cut off.
  const begin = performance.now()
  while ((await heldBytes(service)) > 0) await pause(50)
  expect(performance.now() - begin).toBeLessThan(10_000)
})

describe('a connection on which nothing happens', () => {
  const options = { silenceTimeoutMs: 400, limits: { bodyIdleMs: 3_000 } }
  const compress = {
    messages: [
      ...Array.from({ length: 4 }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: 'word '.repeat(4_000),
      })),
      { role: 'user', content: 'and now?' },
    ],
    context_manage_mode: 'compress',
    max_total_tokens: 1_000,
    keep_recent_count: 1,
  }

  it('stays as long as the request is worked on', async () => {
    const summarize: Summarize = async () => {
      await pause(1_500)
      return '<state_snapshot><overall_goal>a goal</overall_goal><key_knowledge>known</key_knowledge></state_snapshot>'
    }
    const service = await startService({ ...options, summarize })
    expect(await service.post('/context_offload', compress)).toMatchObject({ status: 200, json: { success: true } })
  })

  it('stays as long as a body may take', async () => {
    const service = await startService(options)
    const body = '{"pattern":"a"}'
    const { status } = await rawRequest(service.port, async (socket) => {
      socket.write(head('/grep', { 'content-length': `${body.length}`, connection: 'close' }))
      await pause(1_200)
      socket.write(body)
    })
    expect(status).toBe(200)
  })

  it('ends when its answer is not taken', async () => {
    const service = await startService(options)
    sendUnread(service, '/context_offload', {}, { messages })
    while (service.log.length === 0) await pause(10)
    expect(await heldBytes(service)).toBeGreaterThan(10_000_000)
    while ((await heldBytes(service)) > 0) await pause(50)
  })
})

it('a time that is longer than timers know is no short one', async () => {
  const service = await startService({
    headersTimeoutMs: Infinity,
    responseTimeoutMs: Infinity,
    silenceTimeoutMs: Infinity,
    limits: {
      bodyIdleMs: Infinity,
      bodyTimeoutMs: Infinity,
      workTimeoutMs: Infinity,
      queueTimeoutMs: Infinity,
      maxConcurrent: 1,
    },
  })
  const content = [{ type: 'text', text: 'a line of text\n'.repeat(100_000) }]
  const all = Array.from({ length: 3 }, () => service.post('/v1/offload', { toolName: 't', toolCallId: 'c', content }))
  for (const { status } of await Promise.all(all)) expect(status).toBe(200)
  const body = '{"pattern":"a","limit":1}'
  const answer = rawRequest(service.port, async (socket) => {
    socket.write(head('/grep', { 'content-length': `${body.length}`, connection: 'close' }))
    await pause(200)
    socket.write(body)
  })
  await pause(100)
  await service.close({ graceMs: Infinity })
  expect((await answer).status).toBe(200)
})
