import { connect } from 'node:net'
import type { Summarize } from '@spillway/history'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { head, pause, rawRequest, silentConnection } from './raw-request.ts'
import { startService, type TestService } from './start-service.ts'

/** More bytes than an unread connection can buffer. */
const messages = [{ role: 'user', content: 'some words of a talk '.repeat(500_000) }]

/** Send a request and do not read the response. Returns a function that reads the rest and returns its length. */
function sendUnread(
  service: TestService,
  path: string,
  headers: Record<string, string>,
  body: object,
): () => Promise<number> {
  const text = JSON.stringify(body)
  const socket = connect(service.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  let length = 0
  socket.on('error', () => {})
  socket.on('data', (chunk) => (length += chunk.length))
  socket.pause()
  socket.write(head(path, { ...headers, 'content-length': `${text.length}` }) + text)
  return async () => {
    socket.resume()
    await closed
    return length
  }
}

test('a failure that returns the messages counts as memory until the client is disconnected', async () => {
  const service = await startService({ responseTimeoutMs: 1_500 })
  // Only the timer of the response timeout is faked: sockets and `fetch` have other timers.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  sendUnread(service, '/context_offload', {}, { messages, context_manage_mode: 'compress' })
  await service.logged(1)
  vi.advanceTimersByTime(1_499)
  expect(await service.heldBytes()).toBeGreaterThan(10_000_000)
  vi.advanceTimersByTime(1)
  while ((await service.heldBytes()) > 0);
})

describe('a silent connection', () => {
  const options = { silenceTimeoutMs: 1_000, limits: { bodyWindowMs: 600_000 } }
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

  it('stays open while its request runs', async () => {
    const summarize: Summarize = async () => {
      await silentConnection(service.port)
      return '<state_snapshot><overall_goal>a goal</overall_goal><key_knowledge>known</key_knowledge></state_snapshot>'
    }
    const service: TestService = await startService({ ...options, summarize })
    expect(await service.post('/context_offload', compress)).toMatchObject({ status: 200, json: { success: true } })
  })

  it('stays open while the body of its request may still arrive', async () => {
    const service = await startService(options)
    const body = '{"pattern":"a"}'
    const { status } = await rawRequest(service.port, async (socket) => {
      socket.write(head('/grep', { 'content-length': `${body.length}`, connection: 'close' }))
      await service.inFlight(1)
      await silentConnection(service.port)
      socket.write(body)
    })
    expect(status).toBe(200)
  })

  it('ends if the client does not read the response', async () => {
    const service = await startService(options)
    const readRest = sendUnread(service, '/context_offload', {}, { messages })
    await service.logged(1)
    while ((await service.heldBytes()) > 0) await pause(10)
    expect(await readRest()).toBeLessThan(10_000_000)
  })
})

it('the service treats a time limit of Infinity as the longest delay of a timer', async () => {
  const service = await startService({
    headersTimeoutMs: Infinity,
    responseTimeoutMs: Infinity,
    silenceTimeoutMs: Infinity,
    limits: {
      bodyWindowMs: Infinity,
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
  let closing: Promise<void> | undefined
  const answer = rawRequest(service.port, async (socket) => {
    socket.write(head('/grep', { 'content-length': `${body.length}`, connection: 'close' }))
    await service.inFlight(1)
    // A timer with a delay of Infinity would fire after 1 ms.
    await pause(20)
    closing = service.close({ graceMs: Infinity })
    await pause(20)
    socket.write(body)
  })
  expect((await answer).status).toBe(200)
  await closing
})
