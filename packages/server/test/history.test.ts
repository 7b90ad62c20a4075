import { describe, expect, it } from 'vitest'
import { brokenStorage } from './broken-storage.ts'
import { startService } from './start-service.ts'

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

describe('/v1/history', () => {
  it('compacts a history, whose references can be searched, and restores it', async () => {
    const service = await startService()
    const request = { format: 'openai-chat', messages, mode: 'compact', maxTotalTokens: 5_000 }
    const { json } = await service.post('/v1/history/compact', request)
    expect(json).toMatchObject({ applied: ['compact'], fits: true, unchanged: 2, failures: [] })
    const [{ name: reference }] = json['stored'] as unknown as [{ name: string }]
    const found = await service.post('/v1/retrieve', { reference, pattern: 'FAILED' })
    expect(JSON.stringify(found.json)).toContain('step 3000 FAILED')
    const whole = await service.post('/v1/history/expand', { format: 'openai-chat', messages: json.messages })
    expect(whole.json).toEqual({ messages, missing: [] })
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

  it('summarizes a history, and restores it', async () => {
    const service = await startService({ summarize: async () => SNAPSHOT })
    const request = { format: 'openai-chat', messages: talk, mode: 'compress', groupTokens: 5_000 }
    const { json } = await service.post('/v1/history/compact', request)
    expect(json).toMatchObject({ applied: ['compress'] })
    const whole = await service.post('/v1/history/expand', { format: 'openai-chat', messages: json.messages })
    expect(whole.json.messages).toEqual(talk)
  })

  it.each<[string, Parameters<typeof startService>[0], number, string]>([
    ['a model whose summaries cannot be used', { summarize: async () => 'junk' }, 502, 'model-failed'],
    ['a broken storage', { summarize: async () => SNAPSHOT, storage: brokenStorage() }, 503, 'unavailable'],
  ])('reports the failure of %s', async (_, options, status, code) => {
    const service = await startService(options)
    const answer = await service.post('/v1/history/compact', {
      format: 'openai-chat',
      messages: talk,
      mode: 'compress',
    })
    expect(answer).toMatchObject({ status, json: { error: { code, retryable: true } } })
    expect(service.log.at(-1)).toMatchObject({ type: 'request', status, code })
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
        for (const path of ['/v1/history/compact', '/v1/history/expand']) {
          const { status } = await service.post(path, { format, messages: one, maxTotalTokens: 1 })
          expect([200, 422], `${path} ${format} ${JSON.stringify(one)}`).toContain(status)
        }
  })
})
