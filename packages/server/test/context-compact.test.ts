import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { ASK, END, LARGE, SYSTEM, call, lines, offload, read, result } from './reme-requests.ts'
import { startService } from './start-service.ts'

describe('/context_offload, compact', () => {
  it('replaces large results by a preview and a path, and keeps everything else', async () => {
    const service = await startService()
    const messages = [
      SYSTEM,
      ASK,
      call('call_123'),
      result('call_123'),
      { role: 'user', content: 'small', custom: [1] },
      ...END,
    ]
    const { status, json } = await offload(service, messages, { context_manage_mode: 'compact' })
    expect(status).toBe(200)
    const path = '/workspace/context_store/tool_call_call_123.txt'
    expect(json.messages.with(3, {})).toEqual(messages.with(3, {}))
    expect(json.messages[3]).toEqual(
      result('call_123', `${LARGE.slice(0, 100)}... (detailed result is stored in ${path})`),
    )
    expect(json).toMatchObject({
      success: true,
      answer: `Successfully created and wrote to new file: ${path}`,
      metadata: {
        write_file_dict: { 'context_store/tool_call_call_123.txt': LARGE },
        applied: ['compact'],
        fits: true,
      },
    })
  })

  it.each([
    ['/workspace/context_store', 'context_store'],
    ['/workspace/context_store/', 'context_store'],
    ['context_store', 'context_store'],
    ['./context_store/', 'context_store'],
    ['/data/of me/store', 'data/of me/store'],
    ['/a(b)', 'a(b)'],
    ['/workspace/workspace/store', 'store'],
    ['', ''],
    ['.', ''],
    ['/', ''],
  ])('accepts the forms of messages that clients write, and names the files in %j', async (store_dir, folder) => {
    const service = await startService()
    const messages = [ASK, call('c1'), result('c1'), ...END]
    const { json } = await offload(service, messages, { context_manage_mode: 'compact', store_dir })
    const written = /\(detailed result is stored in (.+)\)$/.exec(String(json.messages[2]?.['content']))?.[1] ?? ''
    const [key = ''] = Object.keys(json.metadata.write_file_dict)
    expect(key).toBe(`${folder === '' ? '' : `${folder}/`}tool_call_c1.txt`)
    for (const path of [written, key, `./${key}`, `././${key}`, `/${key}`, `/workspace/${key}`, `./${written}`])
      expect(await read(service, path), path).toBe(LARGE)
    const found = await service.post('/grep', { pattern: 'result 7 ', path: store_dir })
    const [, name] = /File: ([\w.]+)/.exec(found.json.answer) ?? []
    expect(name).toBe('tool_call_c1.txt')
    const separator = store_dir === '' || store_dir.endsWith('/') ? '' : '/'
    expect(await read(service, `${store_dir}${separator}${name}`)).toBe(LARGE)
    const expanded = await service.post('/v1/history/expand', { format: 'reme', messages: json.messages })
    expect(expanded.json).toEqual({ messages, missing: [] })
    // A second run changes and stores nothing.
    const again = await offload(service, json.messages, {
      context_manage_mode: 'compact',
      store_dir,
      max_total_tokens: 1,
    })
    expect(again.json.messages).toEqual(json.messages)
    expect(again.json.metadata.write_file_dict).toEqual({})
  })

  it.each(['../../x', '..', 'a/b\\c', 'a b', 'é😀', 'x'.repeat(500), '__proto__', 'con.', '%2e%2e%2f'])(
    'gives the id %j a file name of safe letters in the folder, the same each time',
    async (id) => {
      const service = await startService()
      const messages = [ASK, call(id), result(id), ...END]
      const [{ json }, { json: again }] = [
        await offload(service, messages, { context_manage_mode: 'compact' }),
        await offload(service, messages, { context_manage_mode: 'compact' }),
      ]
      const [key = ''] = Object.keys(json.metadata.write_file_dict)
      expect(key).toMatch(/^context_store\/tool_call_[A-Za-z0-9_.]+\.txt$/)
      expect(again.messages).toEqual(json.messages)
      expect(again.metadata.write_file_dict).toEqual(json.metadata.write_file_dict)
      expect(again.answer).toContain('Already written with the same content')
    },
  )

  it('does not mistake a quoted reference for a replacement', async () => {
    const service = await startService()
    const first = await offload(service, [ASK, call('a'), result('a'), ...END], { context_manage_mode: 'compact' })
    const [reference] = [String(first.json.messages[2]?.['content'])]
    const quotes = [
      `The log says: ${reference}`,
      `${LARGE} and then ${reference}`,
      `result 0... (detailed result is stored in context_store/other.txt)`,
    ]
    const messages = [ASK, ...quotes.flatMap((text, index) => [call(`q${index}`), result(`q${index}`, text)]), ...END]
    const expanded = await service.post('/v1/history/expand', { format: 'reme', messages })
    expect(expanded.json.messages).toEqual(messages)
    const { json } = await offload(service, messages, { context_manage_mode: 'compact', max_total_tokens: 10 })
    expect(Object.values(json.metadata.write_file_dict)).toEqual([quotes[1]])
    const again = await service.post('/v1/history/expand', { format: 'reme', messages: json.messages })
    expect(again.json.messages).toEqual(messages)
  })

  it('never overwrites a file: in every process, other content with the same id gets another name', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    const services = [await startService({ storage }), await startService({ storage })]
    const texts = [LARGE, lines(3_000, 'other'), lines(3_000, 'third'), LARGE]
    const paths: string[] = []
    for (const [index, text] of texts.entries()) {
      const { json } = await offload(services[index % 2]!, [ASK, call('c1'), result('c1', text), ...END], {
        context_manage_mode: 'compact',
      })
      paths.push(...Object.keys(json.metadata.write_file_dict))
    }
    expect(paths[0]).toBe('context_store/tool_call_c1.txt')
    expect(paths[1]).toMatch(/^context_store\/tool_call_c1_[0-9a-f]{16}\.txt$/)
    expect(new Set(paths).size).toBe(3)
    expect(paths[3]).toBe(paths[0])
    for (const service of services)
      for (const [index, text] of texts.entries()) expect(await read(service, paths[index]!)).toBe(text)
  })

  it('accepts the documented path of call_123 as well', async () => {
    const service = await startService()
    await offload(service, [ASK, call('call_123'), result('call_123'), ...END], { context_manage_mode: 'compact' })
    expect(await read(service, './context_store/tool_call_123.txt')).toBe(LARGE)
  })

  it('accepts flat calls and results that are objects, and restores them exactly', async () => {
    const service = await startService()
    const flat = {
      role: 'assistant',
      content: 'I will',
      tool_calls: [{ id: 'call_1', name: 'web_search', arguments: { q: 'x' } }],
    }
    const messages = [SYSTEM, ASK, flat, result('call_1', { path: '/a', content: LARGE, status: 'success' }), ...END]
    const { json } = await offload(service, messages, { context_manage_mode: 'compact' })
    expect(json.messages[2]).toEqual(flat)
    expect(json.messages[3]?.['content']).toContain(
      '(detailed result is stored in /workspace/context_store/tool_call_call_1.txt)',
    )
    const expanded = await service.post('/v1/history/expand', { format: 'reme', messages: json.messages })
    expect(expanded.json.messages).toEqual(messages)
  })

  it('shows the requested length of a result, without splitting characters', async () => {
    const service = await startService()
    const text = '😀'.repeat(20_000)
    for (const [preview_char_length, shown] of [
      [0, ''],
      [4, '😀😀'],
      [5, '😀😀'],
    ] as const) {
      const messages = [ASK, call('c1'), result('c1', text), ...END]
      const { json } = await offload(service, messages, { context_manage_mode: 'compact', preview_char_length })
      expect(json.messages[2]?.['content']).toMatch(new RegExp(`^${shown}\\.\\.\\. \\(detailed`, 'u'))
    }
  })

  it('accepts null for absent fields, fractional numbers, and unknown fields', async () => {
    const service = await startService()
    const options = {
      context_manage_mode: null,
      max_total_tokens: 20_000.0,
      max_tool_message_tokens: null,
      group_token_threshold: null,
      keep_recent_count: 1.0,
      chat_id: null,
      compact_ratio_threshold: null,
      workspace_id: 'x',
      query: '',
      metadata: {},
    }
    const { json } = await offload(service, [ASK, call('c1'), result('c1'), ...END], options)
    expect(json).toMatchObject({ success: true, metadata: { applied: ['compact'] } })
  })

  it('keeps all digits of numbers that JavaScript cannot represent, even in stored arguments', async () => {
    const service = await startService()
    const large = `{"ids":[${'1790123456789012345,'.repeat(3_000)}7]}`
    const long = `{"id":1790123456789012345,"text":"${'a word '.repeat(5_000)}"}`
    const messages = [
      '{"role":"user","content":"Search","at":12345678901234567890,"far":1e400}',
      '{"role":"assistant","content":"","tool_calls":[{"id":"c1","name":"f","arguments":{"id":1790123456789012345}}]}',
      '{"role":"tool","tool_call_id":"c1","content":"x"}',
      `{"role":"assistant","content":"","tool_calls":[{"id":"c2","name":"f","arguments":${large}}]}`,
      '{"role":"tool","tool_call_id":"c2","content":"y"}',
      `{"role":"assistant","content":"","tool_calls":[{"id":"c3","name":"f","arguments":${long}}]}`,
      '{"role":"tool","tool_call_id":"c3","content":"z"}',
      '{"role":"assistant","content":"Found it."}',
    ]
    const response = await fetch(`${service.url}/context_offload`, {
      method: 'POST',
      body: `{"max_total_tokens":100,"context_manage_mode":"compact","messages":[${messages.join()}]}`,
      headers: { 'content-type': 'application/json' },
    })
    const text = await response.text()
    expect(response.status).toBe(200)
    for (const index of [0, 1, 2, 4, 6, 7]) expect(text).toContain(messages[index])
    expect(text).toContain('"arguments":{"id":1790123456789012345,"text":"')
    expect(text).not.toContain('1790123456789012400')
    const { metadata } = JSON.parse(text) as { metadata: { write_file_dict: Record<string, string> } }
    expect(Object.values(metadata.write_file_dict)).toContainEqual(expect.stringContaining('1790123456789012345'))
  })

  it('accepts limits that exceed the messages and tokens of the history', async () => {
    const service = await startService()
    for (const number of [Number.MAX_SAFE_INTEGER + 1, 1e308]) {
      const options = { group_token_threshold: number, keep_recent_count: number, max_tool_message_tokens: number }
      const { status, json } = await offload(service, [ASK, call('c1'), result('c1'), ...END], options)
      expect([status, json.success, json.messages.length]).toEqual([200, true, 5])
    }
  })

  it('keeps a history that is within its limit or empty', async () => {
    const service = await startService()
    for (const messages of [[], [SYSTEM, ASK], [ASK, call('c1'), result('c1', 'small'), ...END]]) {
      const { json } = await offload(service, messages)
      expect(json).toMatchObject({
        success: true,
        answer: 'Nothing was offloaded.',
        messages,
        metadata: { write_file_dict: {}, fits: true },
      })
    }
  })

  it('omits the files from the answer on request', async () => {
    const service = await startService()
    const { json } = await offload(service, [ASK, call('c1'), result('c1'), ...END], { include_write_file_dict: false })
    expect(json.metadata).not.toHaveProperty('write_file_dict')
    expect(json.answer).toContain('tool_call_c1.txt')
  })

  it('names the message that keeps a history over its limit', async () => {
    const service = await startService()
    const messages = [
      ASK,
      call('c1'),
      result('c1'),
      ...END,
      { role: 'assistant', content: 'word '.repeat(50_000) },
      { role: 'user', content: 'go on' },
    ]
    const { json } = await offload(service, messages, { context_manage_mode: 'compact' })
    expect(json).toMatchObject({
      success: true,
      metadata: { fits: false, obstacles: [{ index: 5, role: 'assistant' }] },
    })
    expect(json.answer).toContain('The history still has')
  })

  it('uses the names of its fields in errors, and the option of the command that sets a model', async () => {
    const service = await startService()
    const word = { role: 'assistant', content: 'word '.repeat(30_000) }
    for (const [messages, options, advice] of [
      [
        [ASK, call('c1'), result('c1')],
        { keep_recent_count: 9 },
        'Lower keep_recent_count, or raise max_total_tokens.',
      ],
      [[ASK, word, ...END], { context_manage_mode: 'auto' }, 'service with --model'],
      [[{ ...word, role: 'system' }, ASK, ...END], {}, 'raise max_total_tokens'],
      [
        [ASK, call('c1'), result('c1', lines(900)), call('c2'), result('c2'), ...END],
        { max_tool_message_tokens: 90_000, context_manage_mode: 'compact' },
        'max_tool_message_tokens',
      ],
      [[ASK, word, ...END], { context_manage_mode: 'compact' }, 'context_manage_mode auto of a service with --model'],
    ] as const) {
      const { json } = await offload(service, messages, { max_total_tokens: 100, ...options })
      expect(json.answer).toContain(advice)
      const said = [
        json.answer,
        ...(json.metadata['obstacles'] as unknown as { explanation: string }[]).map((one) => one.explanation),
      ]
      expect(said.join('\n')).not.toMatch(/[a-z](?:Tokens|Recent|Threshold)|summarize/)
    }
  })

  it('uses the defaults of the service if a request has no settings', async () => {
    const contextOffload = {
      context_manage_mode: 'compact',
      max_total_tokens: 1_000_000,
      preview_char_length: 7,
      store_dir: 'of_the_service',
      keep_recent_count: null,
    } as const
    const service = await startService({ contextOffload })
    const messages = [ASK, call('c1'), result('c1'), ...END]
    const retained = await service.post('/context_offload', { messages, max_total_tokens: null })
    expect(retained.json.messages).toEqual(messages)
    const { json } = await service.post('/context_offload', { messages, max_total_tokens: 100 })
    expect(json.messages[2]?.['content']).toBe(
      `${LARGE.slice(0, 7)}... (detailed result is stored in of_the_service/tool_call_c1.txt)`,
    )
    const other = await service.post('/context_offload', { messages, max_total_tokens: 100, store_dir: 'mine' })
    expect(JSON.stringify(other.json.messages)).toContain('stored in mine/tool_call_c1.txt')
    const document = JSON.stringify((await service.get('/openapi.json')).json)
    for (const default_ of ['compact', '1000000', 'of_the_service'])
      expect(document).toContain(`Defaults to ${default_}.`)
  })

  it.each([
    { max_total_tokens: 0 },
    { keep_recent_count: -1 },
    { context_manage_mode: 'shrink' },
    { store_dir: '../x' },
    { maxTotalTokens: 5_000 },
  ])('refuses to start with the invalid defaults %j', async (contextOffload) => {
    await expect(startService({ contextOffload: contextOffload as object })).rejects.toThrow(
      /^contextOffload(?:\.\w+|: Unrecognized key)/,
    )
  })

  it.each<[string, object, number, string]>([
    ['no messages', {}, 422, 'invalid-request'],
    ['invalid messages', { messages: ['a'] }, 422, 'invalid-request'],
    ['an unknown role', { messages: [{ role: 'wizard', content: '' }] }, 422, 'invalid-request'],
    ['an unknown mode', { messages: [], context_manage_mode: 'shrink' }, 422, 'invalid-request'],
    ['a limit of 0', { messages: [{ role: 'user', content: 'u' }], max_total_tokens: 0 }, 422, 'invalid-request'],
    ['a negative count', { messages: [], keep_recent_count: -1 }, 422, 'invalid-request'],
  ])('refuses %s, and returns the messages of the request', async (_name, body, status, code) => {
    const service = await startService()
    const answer = await service.post('/context_offload', body)
    expect(answer).toMatchObject({ status, json: { success: false, metadata: { error: { code } } } })
    expect(answer.json.messages).toEqual('messages' in body ? body.messages : [])
  })
})
