import type { Summarize } from '@spillway/history'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RequestRecord } from '../src/index.ts'
import { brokenStorage } from './broken-storage.ts'
import { startService, type TestService } from './start-service.ts'

const log = Array.from({ length: 4_000 }, (_, line) => `step ${line} ${line === 3_000 ? 'FAILED' : 'ok'}`).join('\n')
const messages = [
  { role: 'user', content: 'Why did the build fail?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_log', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: log },
  { role: 'assistant', content: 'Step 3000 failed.' },
  { role: 'user', content: 'Fix it.' },
]
const talk = [
  ...Array.from({ length: 8 }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: 'word '.repeat(4_000),
  })),
  ...messages.slice(3),
  { role: 'assistant', content: 'I will.' },
]
const SNAPSHOT =
  '<state_snapshot><overall_goal>fix</overall_goal><key_knowledge>step 3000</key_knowledge></state_snapshot>'

/** Send a request and return the events of its answer. */
async function events(
  service: TestService,
  body: object,
): Promise<{ readonly event: string; readonly data: Record<string, unknown> }[]> {
  const response = await fetch(`${service.url}/v1/history/compact`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return (await response.text())
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      return { event, data: JSON.parse(data) as Record<string, unknown> }
    })
}

describe('/v1/history', () => {
  it('compacts a history, lists its references, and restores it', async () => {
    const service = await startService()
    const request = { format: 'openai-chat', messages, mode: 'compact', maxTotalTokens: 5_000 }
    const { json } = await service.post('/v1/history/compact', request)
    expect(json).toMatchObject({ applied: ['compact'], fits: true, unchanged: 2, failures: [] })
    const names = await service.post('/v1/history/references', { format: 'openai-chat', messages: json.messages })
    const [reference] = names.json['references'] as unknown as { name: string }[]
    expect(reference).toMatchObject({ kind: 'text', toolName: 'read_log', callId: 'call_1', index: 2 })
    const found = await service.post('/v1/retrieve', { reference: reference?.name, pattern: 'FAILED' })
    expect(JSON.stringify(found.json)).toContain('step 3000 FAILED')
    const whole = await service.post('/v1/history/expand', { format: 'openai-chat', messages: json.messages })
    expect(whole.json).toEqual({ messages, missing: [] })
    const some = await service.post('/v1/history/expand', {
      format: 'openai-chat',
      messages: json.messages,
      only: ['other'],
    })
    expect(some.json.messages).toEqual(json.messages)
  })

  it('supports conversations of several APIs', async () => {
    const service = await startService()
    const anthropic = {
      system: 'You build.',
      messages: [
        { role: 'user', content: 'Why?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read_log', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: log }] },
        { role: 'assistant', content: 'Step 3000.' },
        { role: 'user', content: 'Fix it.' },
      ],
    }
    const { status, json } = await service.post('/v1/history/compact', {
      format: 'anthropic',
      messages: anthropic,
      maxTotalTokens: 5_000,
      mode: 'compact',
    })
    expect([status, json['applied']]).toEqual([200, ['compact']])
    const whole = await service.post('/v1/history/expand', { format: 'anthropic', messages: json.messages })
    expect(whole.json.messages).toEqual(anthropic)
  })

  it('reports the steps of a long compression as they end, and then the result', async () => {
    const service = await startService({ summarize: async () => SNAPSHOT })
    const all = await events(service, { format: 'openai-chat', messages: talk, mode: 'compress', groupTokens: 5_000 })
    expect(all.length).toBeGreaterThan(3)
    expect(all[0]).toMatchObject({ event: 'progress' })
    expect(all.at(-1)).toMatchObject({ event: 'result', data: { applied: ['compress'] } })
    const { data } = all.at(-1)!
    const whole = await service.post('/v1/history/expand', { format: 'openai-chat', messages: data['messages'] })
    expect(whole.json.messages).toEqual(talk)
  })

  it('reports a failure in the last event', async () => {
    const service = await startService({ summarize: async () => 'junk' })
    const all = await events(service, { format: 'openai-chat', messages: talk, mode: 'compress' })
    expect(all.at(-1)).toMatchObject({ event: 'error', data: { error: { code: 'model-failed', retryable: true } } })
    expect(service.log).toMatchObject([{ type: 'request', status: 200, code: 'model-failed' }])
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
      'spillway_http_failures_total{code="model-failed"} 1',
    )
  })

  it('logs a stream at its end, with its errors and its total time', async () => {
    const now = performance.now.bind(performance)
    let elapsed = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + elapsed)
    onTestFinished(() => clock.mockRestore())
    const summarize: Summarize = async () => {
      elapsed += 300_000
      return SNAPSHOT
    }
    const service = await startService({ summarize, storage: brokenStorage() })
    const all = await events(service, { format: 'openai-chat', messages: talk, mode: 'compress' })
    expect(all.at(-1)).toMatchObject({ event: 'error', data: { error: { code: 'unavailable', retryable: true } } })
    expect(service.log).toMatchObject([
      { type: 'fault', error: expect.stringContaining('StorageError (unavailable)') },
      { type: 'request', status: 200, code: 'unavailable' },
    ])
    const [, record] = service.log as [unknown, RequestRecord]
    expect(record.milliseconds).toBeGreaterThanOrEqual(300_000)
    expect(record.bytesOut).toBeGreaterThan(100)
  })

  it.each<[object, number, string]>([
    [{ messages }, 422, 'invalid-request'],
    [{ format: 'punched-cards', messages }, 422, 'invalid-request'],
    [{ format: 'openai-chat' }, 422, 'invalid-request'],
    [{ format: 'openai-chat', messages: [{ role: 'wizard' }] }, 422, 'invalid-request'],
    [{ format: 'anthropic', messages: [null] }, 422, 'invalid-request'],
    [{ format: 'openai-chat', messages, maxTotalTokens: -1 }, 422, 'invalid-request'],
    [{ format: 'openai-chat', messages, mode: 'compress' }, 422, 'no-model'],
  ])('refuses an invalid history, case %#', async (body, status, code) => {
    const service = await startService()
    expect(await service.post('/v1/history/compact', body)).toMatchObject({ status, json: { error: { code } } })
  })

  it('never answers with an internal error for any messages', async () => {
    const service = await startService({ limits: { requestsPerSecond: Infinity } })
    const junk = [
      null,
      5,
      'text',
      [],
      {},
      [[]],
      [{}],
      [{ role: 'user' }],
      [{ role: 'tool' }],
      { messages: [{ role: 'user', content: [null] }] },
      [{ role: 'assistant', content: [{ type: 'tool-call' }] }],
      [{ role: 'user', parts: [null] }],
      [{ type: 'function_call' }],
      { contents: [{ role: 'user', parts: [null] }] },
    ]
    for (const format of ['openai-chat', 'openai-responses', 'openai-agents', 'anthropic', 'ai-sdk', 'gemini', 'reme'])
      for (const one of junk)
        for (const path of ['/v1/history/compact', '/v1/history/expand', '/v1/history/references']) {
          const { status } = await service.post(path, { format, messages: one, maxTotalTokens: 1 })
          expect([200, 422], `${path} ${format} ${JSON.stringify(one)}`).toContain(status)
        }
  })
})
