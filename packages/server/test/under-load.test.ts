import { once, EventEmitter } from 'node:events'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { createStorage, type ManagedStorage } from '@spillway/core'
import { AccessTokens } from '@spillway/core/http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Summarize } from '@spillway/history'
import { head, rawRequest } from './raw-request.ts'
import { startService, type TestService } from './start-service.ts'

const SNAPSHOT =
  '<state_snapshot><overall_goal>a goal</overall_goal><key_knowledge>known</key_knowledge></state_snapshot>'

const messages = [
  { role: 'user', content: 'word '.repeat(8_000) },
  { role: 'assistant', content: 'word '.repeat(8_000) },
  { role: 'user', content: 'and now?' },
]
const compress = {
  messages: [...messages, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'go on' }],
  context_manage_mode: 'compress',
  max_total_tokens: 1_000,
  keep_recent_count: 1,
}

/** Create a model that waits until the test lets it continue. */
function waitingModel(): {
  readonly summarize: Summarize
  readonly release: () => void
  /** Resolves when the model was asked this many times. */
  readonly asked: (count: number) => Promise<void>
} {
  const { promise, resolve } = Promise.withResolvers<void>()
  const events = new EventEmitter()
  let asked = 0
  const summarize: Summarize = async ({ signal }) => {
    asked += 1
    events.emit('asked')
    await Promise.race([
      promise,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ])
    return SNAPSHOT
  }
  return {
    summarize,
    release: resolve,
    asked: async (count) => {
      while (asked < count) await once(events, 'asked')
    },
  }
}

/** Create a storage whose writes wait until the test lets them continue. */
function waitingStorage(): {
  readonly storage: ManagedStorage
  /** Let one write continue. */
  readonly release: () => void
  /** The tenants whose writes began, in order. */
  readonly begun: string[]
  /** Resolves when this many writes have begun. */
  readonly begin: (count: number) => Promise<void>
} {
  const events = new EventEmitter()
  const begun: string[] = []
  const waiting: (() => void)[] = []
  const storage = createStorage({
    async write(id) {
      const released = new Promise<void>((resolve) => waiting.push(resolve))
      begun.push(/[ab]/.exec(id)?.[0] ?? id)
      events.emit('begun')
      await released
      return true
    },
    read: async () => undefined,
    remove: async () => false,
    async *list() {},
  })
  return {
    storage,
    release: () => waiting.shift()?.(),
    begun,
    begin: async (count) => {
      while (begun.length < count) await once(events, 'begun')
    },
  }
}

const bearer = (name: string): Record<string, string> => ({ authorization: `Bearer the-token-of-tenant-${name}` })
const tokens = (): AccessTokens =>
  new AccessTokens(['a', 'b'].map((name) => ({ token: `the-token-of-tenant-${name}`, scope: [name] })))
const offload = {
  toolName: 'tool',
  toolCallId: 'call',
  content: [{ type: 'text', text: 'a line of a large result\n'.repeat(2_000) }],
}

describe('work over the limit', () => {
  it('waits in the queue of its caller, and is refused if the queue is full', async () => {
    const { storage, release, begin, begun } = waitingStorage()
    const service = await startService({
      storage,
      tokens: tokens(),
      limits: { maxConcurrent: 2, maxQueued: 3, queueTimeoutMs: 600_000 },
    })
    const all = Array.from({ length: 10 }, (_, index) =>
      service.post('/v1/offload', { ...offload, toolCallId: `call_${index}` }, bearer('a')),
    )
    await service.logged(5)
    await begin(2)
    const other = service.post('/v1/offload', offload, bearer('b'))
    expect(begun).toEqual(['a', 'a'])
    expect((await service.get('/health')).status).toBe(200)
    for (let count = 1; count <= 6; count += 1) {
      await begin(count)
      release()
    }
    expect((await other).status).toBe(200)
    const answers = await Promise.all(all)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    for (const { status, headers, json } of answers) {
      if (status === 200) continue
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(json).toMatchObject({ error: { code: 'overloaded', retryable: true } })
    }
  })

  it('is served in turn among callers', async () => {
    const { storage, release, begin, begun } = waitingStorage()
    const service = await startService({ storage, tokens: tokens(), limits: { maxConcurrent: 1, maxQueued: 20 } })
    const post = (name: string): Promise<unknown> => service.post('/v1/offload', offload, bearer(name))
    const all = Array.from({ length: 6 }, () => post('a'))
    await begin(1)
    await service.inFlight(6, bearer('a'))
    all.push(post('b'), post('b'))
    await service.inFlight(8, bearer('a'))
    for (let count = 1; count <= 8; count += 1) {
      await begin(count)
      release()
    }
    await Promise.all(all)
    expect(begun.join('')).toBe('aababaaa')
  })

  it('is refused after the queue timeout', async () => {
    const { storage, release, begin } = waitingStorage()
    const service = await startService({ storage, limits: { maxConcurrent: 1, queueTimeoutMs: 50 } })
    const first = service.post('/v1/offload', offload)
    await begin(1)
    expect((await service.post('/grep', { pattern: 'a' })).status).toBe(503)
    release()
    expect((await first).status).toBe(200)
  })
})

describe('a request frees its slot while it waits', () => {
  it('for a model', async () => {
    const { summarize, release, asked } = waitingModel()
    const service = await startService({ summarize, limits: { maxConcurrent: 1 } })
    const waiting = service.post('/context_offload', compress)
    await asked(1)
    expect((await service.post('/grep', { pattern: 'a' })).status).toBe(200)
    release()
    expect((await waiting).status).toBe(200)
  })

  it('for new lines of an open entry', async () => {
    const service = await startService({ limits: { maxConcurrent: 1 } })
    const writer = await service.storage.scope('default').openEntry('log', 'text/plain')
    const read = { reference: writer.reference, after: 0, wait_seconds: 30 }
    const answer = service.post('/v1/retrieve', read)
    await service.inFlight(1)
    expect((await service.post('/grep', { pattern: 'a' })).status).toBe(200)
    await writer.write(new TextEncoder().encode('the first line\n'))
    await writer.close()
    expect(JSON.stringify((await answer).json)).toContain('the first line')
  })

  it('for a pattern that runs in a worker', async () => {
    const service = await startService({ limits: { maxConcurrent: 1 } })
    const content = [{ type: 'text', text: `${'a'.repeat(40)}!\n`.repeat(1_000) }]
    await service.post('/v1/offload', { ...offload, content })
    // This pattern needs an engine with back references, and runs until its deadline.
    const slow = service.post('/v1/retrieve', { pattern: String.raw`^(a+)+\1$` })
    let isAnswered = false
    void slow.then(() => (isAnswered = true))
    await service.inFlight(1)
    expect((await service.post('/v1/retrieve', { pattern: 'b' })).status).toBe(200)
    expect(isAnswered).toBe(false)
    await slow
  })
})

it('the service refuses a caller over its rate limit until a second has passed', async () => {
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const service = await startService({ limits: { requestsPerSecond: 5, requestBurst: 5 } })
  const answers = await Promise.all(Array.from({ length: 12 }, () => service.post('/grep', { pattern: 'a' })))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThanOrEqual(7)
  expect(refused[0]?.headers.get('retry-after')).toBe('1')
  expect(refused[0]?.json).toMatchObject({
    success: false,
    metadata: { error: { code: 'rate-limited', retryable: true } },
  })
  now += 1_000
  expect((await service.post('/grep', { pattern: 'a' })).status).toBe(200)
})

it('the service aborts the request of a client that disconnects', async () => {
  const asked = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const summarize: Summarize = ({ signal }) =>
    new Promise((_, reject) => {
      asked.resolve()
      signal.addEventListener('abort', () => {
        aborted.resolve()
        reject(signal.reason)
      })
    })
  const service = await startService({ summarize })
  const controller = new AbortController()
  const request = fetch(`${service.url}/context_offload`, {
    method: 'POST',
    body: JSON.stringify(compress),
    headers: { 'content-type': 'application/json' },
    signal: controller.signal,
  })
  await asked.promise
  controller.abort()
  await expect(request).rejects.toThrow('aborted')
  await aborted.promise
  await service.logged(1)
  expect(service.log).toMatchObject([{ type: 'request', status: 408 }])
})

describe('closing the service', () => {
  it('finishes running requests, refuses new ones, and ends each connection after its response', async () => {
    // Without a timeout of the server, no connection would end by itself, and the test would time out.
    const keepOpen = (message: unknown): void => void ((message as { server: Server }).server.keepAliveTimeout = 0)
    subscribe('http.server.request.start', keepOpen)
    onTestFinished(() => void unsubscribe('http.server.request.start', keepOpen))
    const { summarize, release, asked } = waitingModel()
    const service = await startService({ summarize })
    await service.get('/health')
    const body = JSON.stringify(compress)
    const running = rawRequest(service.port, (socket) => {
      socket.write(head('/context_offload', { 'content-length': `${body.length}` }) + body)
    })
    await asked(1)
    const closing = service.close({ graceMs: 600_000 })
    await expect(once(connect(service.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
    release()
    expect(JSON.parse((await running).body)).toMatchObject({ success: true })
    await closing
    await service.close()
  })

  it('aborts requests that take longer than the grace period', async () => {
    const { summarize, asked } = waitingModel()
    const service = await startService({ summarize })
    const running = Promise.allSettled([service.post('/context_offload', compress)])
    await asked(1)
    await service.close({ graceMs: 50 })
    const [outcome] = await running
    expect(outcome).toMatchObject({
      status: 'fulfilled',
      value: { status: 503, json: { messages: compress.messages, metadata: { error: { code: 'shutting-down' } } } },
    })
  })

  it('startService rejects a port that is in use', async () => {
    const { port } = await startService()
    await expect(startService({ port })).rejects.toThrow(`Port ${port} at 127.0.0.1 is in use`)
  })
})

describe('responses that are larger than their requests', () => {
  const text = 'a line of a large result\n'.repeat(80_000)
  const store = async (service: TestService): Promise<string> => {
    const content = [{ type: 'text', text }]
    const { json } = await service.post('/v1/offload', { toolName: 't', toolCallId: 'c', content })
    const [{ reference }] = json['stored'] as unknown as [{ reference: string }]
    return reference
  }

  it('count toward the same memory limit', async () => {
    const service = await startService({ limits: { maxMemoryBytes: 15_000_000, maxQueued: 100 } })
    const absolute_path = `results/${await store(service)}.txt`
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.post('/read_file', { absolute_path })))
    for (const { status } of answers) expect([200, 503]).toContain(status)
    const one = await service.post('/read_file', { absolute_path })
    expect(one.json.answer === text).toBe(true)
    expect(await fetch(`${service.url}/metrics`).then((response) => response.text())).toContain(
      'spillway_work_memory_bytes 0',
    )
  })

  it('leave out content that a history references too often', async () => {
    const service = await startService({ limits: { maxBodyBytes: 5_000_000 } })
    const messages = [
      { role: 'user', content: 'go' },
      ...Array.from({ length: 4 }, (_, index) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `c${index}`, type: 'function', function: { name: 't', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: `c${index}`, content: text },
      ]).flat(),
      { role: 'assistant', content: 'done' },
    ]
    const small = [messages.slice(0, 3), messages.slice(0, 1).concat(messages.slice(3, 5))]
    const shortened: object[] = [{ role: 'user', content: 'go' }]
    for (const part of small) {
      const { json } = await service.post('/v1/history/compact', {
        format: 'openai-chat',
        messages: [...part, messages.at(-1)],
        mode: 'compact',
        maxTotalTokens: 100,
      })
      shortened.push(...json.messages.slice(1, 3))
    }
    const named = [...shortened, ...shortened.slice(1).map((message) => structuredClone(message))]
    const { status, json } = await service.post('/v1/history/expand', { format: 'openai-chat', messages: named })
    expect(status).toBe(200)
    expect(json).toMatchObject({ missing: [{ code: 'too-large' }, { code: 'too-large' }] })
    expect(json.messages.filter(({ content }) => content === text)).toHaveLength(2)
  })
})

it('the service aborts a request that takes longer than the limit', async () => {
  const { summarize } = waitingModel()
  const service = await startService({ summarize, limits: { workTimeoutMs: 100 } })
  const { status, headers, json } = await service.post('/context_offload', compress)
  expect([502, 503]).toContain(status)
  expect(headers.get('retry-after')).not.toBeNull()
  expect(json.success).toBe(false)
})

it('the service begins at most one long request in each turn of the event loop, so that connections are accepted', async () => {
  let turn = 0
  let next = setImmediate(function count() {
    turn += 1
    next = setImmediate(count)
  })
  onTestFinished(() => clearImmediate(next))
  const turns = new Map<string, number>()
  const countTokens = (text: string): number => {
    if (text.startsWith('result ') && !turns.has(text)) {
      turns.set(text, turn)
      const end = performance.now() + 10
      while (performance.now() < end);
    }
    return text.length
  }
  const service = await startService({ offloader: { countTokens } })
  const send = async (name: string): Promise<void> => {
    const texts = Array.from({ length: 30 }, (_, index) => `${name} ${index}`)
    const answers = texts.map((text) => service.post('/v1/offload', { ...offload, content: [{ type: 'text', text }] }))
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
  }
  // The first request opens the connections.
  await send('first')
  await send('result')
  expect(new Set(turns.values()).size).toBe(30)
})
