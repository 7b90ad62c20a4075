import { describe, expect, it } from 'vitest'
import type { Summarize } from '@spillway/core/history'
import { pause } from './raw-request.ts'
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

/** A model that waits until it is told to go on. */
function waitingModel(): { readonly summarize: Summarize; readonly release: () => void; readonly asked: () => number } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let asked = 0
  const summarize: Summarize = async ({ signal }) => {
    asked += 1
    await Promise.race([
      promise,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ])
    return SNAPSHOT
  }
  return { summarize, release: resolve, asked: () => asked }
}

describe('more work than may be under way', () => {
  it('waits its turn, and is refused where too much waits already', async () => {
    const { summarize, release, asked: askedCount } = waitingModel()
    const service = await startService({
      summarize,
      limits: { maxConcurrent: 2, maxQueued: 3, queueTimeoutMs: 10_000 },
    })
    const all = Array.from({ length: 10 }, () => service.post('/context_offload', compress))
    while (service.log.filter(({ type }) => type === 'request').length < 5) await pause(10)
    expect(askedCount()).toBe(2)
    expect((await service.get('/health')).status).toBe(200)
    release()
    const answers = await Promise.all(all)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    for (const { status, headers, json } of answers) {
      if (status === 200) continue
      expect(status).toBe(503)
      expect(headers.get('retry-after')).toBe('1')
      expect(json).toMatchObject({
        success: false,
        messages: [],
        metadata: { error: { code: 'overloaded', retryable: true } },
      })
    }
  })

  it('is refused after a while, when it does not get its turn', async () => {
    const { summarize, release } = waitingModel()
    const service = await startService({ summarize, limits: { maxConcurrent: 1, queueTimeoutMs: 100 } })
    const first = service.post('/context_offload', compress)
    await pause(100)
    expect((await service.post('/grep', { pattern: 'a' })).status).toBe(503)
    release()
    expect((await first).status).toBe(200)
  })
})

it('one caller that calls too often is refused for a while', async () => {
  const service = await startService({ limits: { requestsPerSecond: 5, requestBurst: 5 } })
  const answers = await Promise.all(Array.from({ length: 12 }, () => service.post('/grep', { pattern: 'a' })))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThanOrEqual(5)
  expect(refused[0]?.headers.get('retry-after')).toBe('1')
  expect(refused[0]?.json).toMatchObject({
    success: false,
    metadata: { error: { code: 'rate-limited', retryable: true } },
  })
  await pause(1_100)
  expect((await service.post('/grep', { pattern: 'a' })).status).toBe(200)
})

it('what a client has gone away from is given up', async () => {
  let wasAborted = false
  const summarize: Summarize = ({ signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        wasAborted = true
        reject(signal.reason)
      }),
    )
  const service = await startService({ summarize })
  const controller = new AbortController()
  const request = fetch(`${service.url}/context_offload`, {
    method: 'POST',
    body: JSON.stringify(compress),
    headers: { 'content-type': 'application/json' },
    signal: controller.signal,
  })
  await pause(300)
  controller.abort()
  await expect(request).rejects.toThrow('aborted')
  for (let count = 0; !wasAborted && count < 100; count += 1) await pause(20)
  expect(wasAborted).toBe(true)
  await pause(50)
  expect(service.log).toMatchObject([{ type: 'request', status: 408 }])
})

describe('closing', () => {
  it('lets what is under way finish, and takes nothing new', async () => {
    const { summarize, release } = waitingModel()
    const service = await startService({ summarize })
    await service.get('/health')
    const running = service.post('/context_offload', compress)
    await pause(200)
    const closing = service.close({ graceMs: 10_000 })
    await pause(100)
    await expect(service.get('/health')).rejects.toThrow('fetch failed')
    release()
    expect((await running).json.success).toBe(true)
    const begin = performance.now()
    await closing
    expect(performance.now() - begin).toBeLessThan(1_500)
    await service.close()
  })

  it('ends what takes longer than the time of grace', async () => {
    const { summarize } = waitingModel()
    const service = await startService({ summarize })
    const running = Promise.allSettled([service.post('/context_offload', compress)])
    await pause(200)
    const stream = await fetch(`${service.url}/v1/history/compact`, {
      method: 'POST',
      body: JSON.stringify({
        format: 'openai-chat',
        mode: 'compress',
        maxTotalTokens: 1_000,
        messages: compress.messages,
      }),
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    })
    const begin = performance.now()
    await service.close({ graceMs: 200 })
    expect(performance.now() - begin).toBeLessThan(3_000)
    const [outcome] = await running
    expect(outcome).toMatchObject({
      status: 'fulfilled',
      value: { status: 503, json: { messages: compress.messages, metadata: { error: { code: 'shutting-down' } } } },
    })
    expect(await stream.text()).toContain('event: error\ndata: {"error":{"code":"shutting-down"')
  })

  it('says that a port is taken', async () => {
    const { port } = await startService()
    await expect(startService({ port })).rejects.toThrow(`Port ${port} at 127.0.0.1 is in use`)
  })
})

describe('answers that are larger than their requests', () => {
  const text = 'a line of a large result\n'.repeat(80_000)
  const store = async (service: TestService): Promise<string> => {
    const content = [{ type: 'text', text }]
    const { json } = await service.post('/v1/offload', { toolName: 't', toolCallId: 'c', content })
    const [{ reference }] = json['stored'] as unknown as [{ reference: string }]
    return reference
  }

  it('take their memory from the same bound', async () => {
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

  it('are cut short where a history names the same content again and again', async () => {
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

it('what takes longer than it may is given up', async () => {
  const { summarize } = waitingModel()
  const service = await startService({ summarize, limits: { workTimeoutMs: 300 } })
  const { status, headers, json } = await service.post('/context_offload', compress)
  expect([502, 503]).toContain(status)
  expect(headers.get('retry-after')).not.toBeNull()
  expect(json.success).toBe(false)
})
