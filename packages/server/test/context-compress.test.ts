import type { Summarize } from '@spillway/history'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { ASK, END, SYSTEM, call, offload, read, result } from './reme-requests.ts'
import { startService } from './start-service.ts'

const snapshot = (goal = 'find it'): string =>
  `<state_snapshot><overall_goal>${goal}</overall_goal><key_knowledge>it is there</key_knowledge></state_snapshot>`
const summarize: Summarize = async () => snapshot()

describe('/context_offload, compress and auto', () => {
  const turn = (number: number) => ({
    role: number % 2 === 0 ? 'user' : 'assistant',
    content: `turn ${number} ${'word '.repeat(3_000)}`,
  })
  const turns = Array.from({ length: 12 }, (_, number) => turn(number))
  // The last message of the user always stays, and is short here.
  const long = [SYSTEM, ...turns, { role: 'user', content: 'Is it there?' }, ...END]

  it('fails without a model, names the option that sets one, and returns the messages', async () => {
    const service = await startService()
    const { status, json } = await offload(service, long, { context_manage_mode: 'compress' })
    expect(status).toBe(422)
    expect(json).toMatchObject({ success: false, messages: long, metadata: { error: { code: 'no-model' } } })
    expect(json.answer).toContain('--model')
  })

  it('appends a summary to the system message, and keeps the messages in a file', async () => {
    const service = await startService({ summarize })
    const { json } = await offload(service, long, { context_manage_mode: 'compress', chat_id: 'research_session_001' })
    const path = '/workspace/context_store/compressed_group_research_session_001_0.json'
    expect(json.messages[0]?.['content']).toMatch(
      /^You are a helpful assistant\n\n<state_snapshot>\n<overall_goal>find it</,
    )
    expect(json.messages[0]?.['content']).toContain(`messages are stored in: ${path}`)
    expect(json.messages.slice(-2)).toEqual(END)
    expect(JSON.parse(await read(service, path))).toContainEqual(long[1])
    const found = await service.post('/grep', {
      pattern: 'turn 3 ',
      path: '/workspace/context_store',
      glob: 'compressed_*.json',
    })
    expect(found.json.answer).toContain('File: compressed_group_research_session_001_0.json')
    const expanded = await service.post('/v1/history/expand', { format: 'reme', messages: json.messages })
    expect(expanded.json.messages).toEqual(long)
  })

  it('adds a system message to a history without one, and makes groups of the requested size', async () => {
    let asked = 0
    const service = await startService({ summarize: async () => snapshot(`part ${(asked += 1)}`) })
    const { json } = await offload(service, long.slice(1), {
      context_manage_mode: 'compress',
      group_token_threshold: 8_000,
      chat_id: 'a/b',
    })
    expect(asked).toBeGreaterThan(2)
    expect(json.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining(`part ${asked}`) })
    const keys = Object.keys(json.metadata.write_file_dict)
    expect(keys.length).toBe(asked)
    for (const key of keys) expect(key).toMatch(/^context_store\/compressed_group_a_b_[0-9a-f]{12}_\d+\.json$/)
  })

  it('never overwrites the messages of an earlier summary of the chat', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    const services = [await startService({ storage, summarize }), await startService({ storage, summarize })]
    const options = { context_manage_mode: 'compress', chat_id: 'chat' }
    const first = await offload(services[0]!, long, options)
    const grown = [...first.json.messages, ...long.slice(1)]
    const second = await offload(services[1]!, grown, options)
    expect(Object.keys(first.json.metadata.write_file_dict)).toEqual(['context_store/compressed_group_chat_0.json'])
    expect(Object.keys(second.json.metadata.write_file_dict)).toEqual(['context_store/compressed_group_chat_1.json'])
    expect(JSON.parse(await read(services[1]!, 'context_store/compressed_group_chat_0.json'))).toContainEqual(long[1])
    const expanded = await services[0]!.post('/v1/history/expand', { format: 'reme', messages: second.json.messages })
    expect(expanded.json.messages).toEqual([...long, ...long.slice(1)])
  })

  it('compacts first in mode auto, and compresses the rest', async () => {
    const service = await startService({ summarize })
    const messages = [...long.slice(0, -2), call('c1'), result('c1'), ...END]
    const { json } = await offload(service, messages, { context_manage_mode: 'auto', max_total_tokens: 5_000 })
    expect(json.metadata).toMatchObject({ applied: ['compact', 'compress'], fits: true })
    const expanded = await service.post('/v1/history/expand', { format: 'reme', messages: json.messages })
    expect(expanded.json.messages).toEqual(messages)
  })

  it('keeps the compacted history in mode auto if the model is missing or fails', async () => {
    const failing: Summarize = () => Promise.reject(new Error('the model is down: key sk-secret'))
    for (const model of [undefined, failing, async () => 'junk', async () => '']) {
      const service = await startService({ summarize: model })
      const { json } = await offload(service, [...long.slice(0, -2), call('c1'), result('c1'), ...END])
      expect(json).toMatchObject({ success: true, metadata: { applied: ['compact'] } })
      expect(Object.keys(json.metadata.write_file_dict)).toEqual(['context_store/tool_call_c1.txt'])
      expect(JSON.stringify([json, service.log])).not.toContain('sk-secret')
    }
  })

  it('keeps the messages if the model fails, and reports the failure', async () => {
    const service = await startService({ summarize: async () => 'no snapshot' })
    const { status, json } = await offload(service, long, { context_manage_mode: 'compress' })
    expect(status).toBe(502)
    expect(json).toMatchObject({
      success: false,
      messages: long,
      metadata: { error: { code: 'model-failed', retryable: true } },
    })
    expect((await service.get('/v1/stats')).json).toMatchObject({ stored: { entries: 0 } })
  })

  it('keeps the messages if the storage fails, and reports the failure', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null, maxBytes: 100 })
    const service = await startService({ storage, summarize })
    const messages = [ASK, call('c1'), result('c1'), ...END]
    const { status, json } = await offload(service, messages, { context_manage_mode: 'compact' })
    expect([status, json.success, json.messages]).toEqual([413, false, messages])
  })
})
