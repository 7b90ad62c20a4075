import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { scriptedModel } from '../../test/serve/scripted-model.ts'
import { startServe } from '../../test/serve/start-serve.ts'
import { spillway, start, temporaryFolder } from '../../test/spillway.ts'

const HERE = fileURLToPath(new URL('../../test/serve/', import.meta.url))
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0
const HAS_CURL = has('curl', '--version')
const HAS_PYTHON = has('python3', '--version')
const HAS_REQUESTS = has('python3', '-c', 'import requests')

const lines = (word: string, count: number): string =>
  Array.from({ length: count }, (_, line) => `${word} ${line} of the tool`).join('\n')
const RESULTS = lines('paper', 2_000)
const PAGE = lines('page', 2_000)

const call = (id: string) => ({ id, type: 'function', function: { name: 'web_search', arguments: '{"query":"AI"}' } })
/** The messages that ReMe's document omits from its examples. */
const MESSAGES = [
  { role: 'system', content: 'You are a research assistant' },
  { role: 'user', content: 'Find recent AI papers on context management' },
  { role: 'assistant', content: "I'll search for papers", tool_calls: [call('call_123')] },
  { role: 'tool', tool_call_id: 'call_123', content: RESULTS },
  { role: 'assistant', content: 'Now the page', tool_calls: [call('call_456')] },
  { role: 'tool', tool_call_id: 'call_456', content: PAGE },
  { role: 'assistant', content: 'I found 20 papers.' },
  { role: 'user', content: 'Summarise them.' },
]
const TALK = [
  { role: 'system', content: 'You are a helpful assistant' },
  // These results are as long as one argument of a command may be.
  ...Array.from({ length: 12 }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: `turn ${turn} ${'word '.repeat(1_850)}`,
  })),
  { role: 'user', content: 'And now?' },
  { role: 'assistant', content: 'Wait.' },
  { role: 'user', content: 'Yes.' },
]

/** Answers of the endpoints that the document describes. */
interface Answer {
  readonly success: boolean
  readonly answer: string
  readonly messages: readonly { readonly content: string }[]
  readonly metadata: { readonly write_file_dict: Readonly<Record<string, string>> }
}

describe('the documentation of ReMe', () => {
  test.skipIf(!HAS_CURL)('has curl commands that work unchanged', async () => {
    const cwd = temporaryFolder()
    const model = await scriptedModel()
    const service = await startServe(['--model', 'test', '--model-base-url', model.baseUrl], { cwd })
    /** Run a command of the document, with the port of the service and with messages in place of the omitted ones. */
    const curl = async (command: string, messages: unknown = []): Promise<Answer> => {
      const filled = command
        .replace('http://0.0.0.0:8002/', `http://0.0.0.0:${service.port}/`)
        .replace('"messages": [...]', () => `"messages": ${JSON.stringify(messages).replaceAll("'", String.raw`'\''`)}`)
      const script = join(cwd, 'command.sh')
      writeFileSync(script, filled)
      const { stdout, stderr } = await start('sh', [script]).end
      if (stdout === '') throw new Error(stderr)
      return JSON.parse(stdout) as Answer
    }

    const auto = await curl(
      String.raw`curl -X POST http://0.0.0.0:8002/context_offload \
  -H "Content-Type: application/json" \
  -d '{
    "messages": [...],
    "context_manage_mode": "auto",
    "max_total_tokens": 20000,
    "max_tool_message_tokens": 2000,
    "keep_recent_count": 0,
    "store_dir": "/workspace/context_store",
    "chat_id": "research_session_001"
  }'`,
      MESSAGES,
    )
    expect(auto).toMatchObject({
      success: true,
      answer:
        'Successfully created and wrote to new file: /workspace/context_store/tool_call_call_123.txt\n' +
        'Successfully created and wrote to new file: /workspace/context_store/tool_call_call_456.txt',
      metadata: {
        write_file_dict: {
          'context_store/tool_call_call_123.txt': RESULTS,
          'context_store/tool_call_call_456.txt': PAGE,
        },
      },
    })
    expect(auto.messages[3]?.content).toBe(
      `${RESULTS.slice(0, 100)}... (detailed result is stored in /workspace/context_store/tool_call_call_123.txt)`,
    )

    const compact = await curl(
      String.raw`curl -X POST http://0.0.0.0:8002/context_offload \
  -H "Content-Type: application/json" \
  -d '{
    "messages": [...],
    "context_manage_mode": "compact",
    "max_tool_message_tokens": 2000,
    "keep_recent_count": 1,
    "store_dir": "./cache_file/"
  }'`,
      MESSAGES,
    )
    expect(Object.keys(compact.metadata.write_file_dict)).toEqual([
      'cache_file/tool_call_call_123.txt',
      'cache_file/tool_call_call_456.txt',
    ])

    const compress = await curl(
      String.raw`curl -X POST http://0.0.0.0:8002/context_offload \
  -H "Content-Type: application/json" \
  -d '{
    "messages": [...],
    "context_manage_mode": "compress",
    "max_total_tokens": 20000,
    "group_token_threshold": 5000,
    "keep_recent_count": 2,
    "store_dir": "/workspace/context_store",
    "chat_id": "chat_session_002"
  }'`,
      TALK,
    )
    expect(compress.success).toBe(true)
    expect(compress.messages[0]?.content).toMatch(
      /^You are a helpful assistant\n\n<state_snapshot>\n<overall_goal>Research AI papers<\/overall_goal>/,
    )
    const groups = Object.keys(compress.metadata.write_file_dict)
    expect(groups[0]).toBe('context_store/compressed_group_chat_session_002_0.json')
    expect(model.asked.length).toBe(groups.length)

    const grep = await curl(String.raw`curl -X POST http://0.0.0.0:8002/grep \
  -H "Content-Type: application/json" \
  -d '{
    "pattern": "tool",
    "path": "./cache_file/",
    "glob": "*.txt",
    "limit": 100
  }'`)
    expect(grep.answer).toMatch(
      /^Found 100 matches for pattern "tool" in path ".\/cache_file\/" \(filter: "\*.txt"\):\n---\nFile: tool_call_call_123.txt\nL1: paper 0 of the tool\n/,
    )

    const whole = await curl(String.raw`curl -X POST http://0.0.0.0:8002/read_file \
  -H "Content-Type: application/json" \
  -d '{
    "absolute_path": "./cache_file/tool_call_call_123.txt"
  }'`)
    expect(whole).toMatchObject({ success: true, answer: RESULTS, messages: [] })

    const page = (offset: number): Promise<Answer> =>
      curl(String.raw`curl -X POST http://0.0.0.0:8002/read_file \
  -H "Content-Type: application/json" \
  -d '{
    "absolute_path": "./cache_file/tool_call_call_123.txt",
    "offset": ${offset},
    "limit": 100
  }'`)
    const pages = [await page(0), await page(100)]
    expect(pages.map(({ answer }) => answer).join('\n')).toBe(RESULTS.split('\n').slice(0, 200).join('\n'))
  })

  test.skipIf(!HAS_PYTHON)('has a Python client that works unchanged', async () => {
    const model = await scriptedModel()
    const service = await startServe(['--model', 'test', '--model-base-url', model.baseUrl], { cwd: temporaryFolder() })
    const env = {
      SERVICE_URL: `http://0.0.0.0:${service.port}/`,
      ...(!HAS_REQUESTS && { PYTHONPATH: join(HERE, 'requests-stand-in') }),
    }
    const input = JSON.stringify({ messages: MESSAGES })
    const { stdout, stderr, code } = await start('python3', [join(HERE, 'document_client.py')], { env, input }).end
    expect([code, stderr]).toEqual([0, ''])
    const seen = JSON.parse(stdout) as { readonly pages: string[]; readonly next_messages: unknown[] }
    expect(seen).toMatchObject({
      files_created: {
        'context_store/tool_call_call_123.txt': RESULTS.length,
        'context_store/tool_call_call_456.txt': PAGE.length,
      },
      first_file: RESULTS,
      pattern_3: { 'cache_file/tool_call_call_123.txt': true, 'cache_file/tool_call_call_456.txt': true },
      found: ['tool_call_call_123.txt'],
      missing: { success: false, answer: expect.stringContaining('File not found') },
      whole: RESULTS,
      loaded: { 'tool_call_call_123.txt': RESULTS.length },
      direct: true,
      batch: [true],
    })
    expect(seen.pages.join('\n')).toBe(RESULTS.split('\n').slice(0, 200).join('\n'))
    expect(seen.next_messages).toHaveLength(MESSAGES.length + 1)
  })

  test('without a model, compress fails and names the option for a model, and auto keeps the compacted history', async () => {
    const service = await startServe([], { cwd: temporaryFolder() })
    const compress = await service.post('/context_offload', { messages: TALK, context_manage_mode: 'compress' })
    expect(compress).toMatchObject({ status: 422, json: { success: false, messages: TALK } })
    expect(compress.json.answer).toContain('--model')
    const auto = await service.post('/context_offload', {
      messages: [...TALK.slice(0, 5), ...MESSAGES.slice(1)],
      store_dir: 'x',
    })
    expect(auto.json).toMatchObject({ success: true, metadata: { applied: ['compact'] } })
  })
})

describe('spillway serve', () => {
  test('shares the store and the scope with other commands', async () => {
    const cwd = temporaryFolder()
    const service = await startServe(['--scope', 'project-1'], { cwd })
    const content = [{ type: 'text', text: RESULTS }]
    const { json } = await service.post('/v1/offload', { toolName: 'read', toolCallId: 'call_1', content })
    const [{ reference }] = json['stored'] as unknown as [{ reference: string }]
    await service.stop()
    const { stdout } = await spillway(['get', reference, '--scope', 'project-1'], { cwd })
    expect(stdout).toBe(RESULTS)
  })

  test.each(['serve', 'mcp serve'])('%s does not start with a local store that cannot be used', async (command) => {
    const cwd = temporaryFolder()
    for (const store of ['sqlite:.', 'file:./file']) {
      writeFileSync(join(cwd, 'file'), 'text')
      const args = [...command.split(' '), '--listen', '127.0.0.1:0', '--store', store]
      const ended = await spillway(args, { cwd })
      expect(ended).toMatchObject({ code: 3, stdout: '' })
      expect(ended.stderr).toMatch(/^spillway: .*(?:is not a file|A file is where)/)
    }
  })

  test('uses its command line options as the defaults of /context_offload', async () => {
    const service = await startServe(
      [
        ...['--mode', 'compact', '--max-total-tokens', '500', '--max-tool-message-tokens', '100', '--keep-recent', '2'],
        ...['--preview-chars', '9', '--ratio', '0.5', '--group-tokens', '0', '--store-dir', '/workspace/of_all'],
      ],
      { cwd: temporaryFolder() },
    )
    const { json } = await service.post('/context_offload', { messages: MESSAGES })
    const { answer, messages } = json as unknown as Answer
    expect(messages[3]?.content).toBe(
      `${RESULTS.slice(0, 9)}... (detailed result is stored in /workspace/of_all/tool_call_call_123.txt)`,
    )
    expect(answer).toContain('/workspace/of_all/tool_call_call_456.txt')
  })

  test('isolates the owners of tokens, and logs neither tokens nor content', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'tokens.json')
    const tokens = [
      { token: 'a-token-of-tenant-one', scope: ['one'] },
      { token: 'a-token-of-tenant-two', scope: ['two'] },
    ]
    // Editors on Windows begin files with a byte order mark.
    writeFileSync(file, `\uFEFF${JSON.stringify(tokens)}`)
    const service = await startServe(['--tokens', file], { cwd, isProcess: true })
    const bearer = (name: string) => ({ authorization: `Bearer a-token-of-tenant-${name}` })
    const request = { messages: MESSAGES, context_manage_mode: 'compact' }
    expect((await service.post('/context_offload', request, bearer('one'))).status).toBe(200)
    expect((await service.post('/context_offload', request)).status).toBe(401)
    expect((await service.post('/grep', { pattern: 'paper' }, bearer('one'))).json.answer).toContain('Found')
    expect((await service.post('/grep', { pattern: 'paper' }, bearer('two'))).json.answer).toContain('No matches')
    const { stderr, stdout, code } = await service.stop()
    expect([code, stdout]).toEqual([0, ''])
    for (const word of ['paper', 'tenant', 'Bearer', 'call_123']) expect(stderr).not.toContain(word)
    const records = stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { status: number })
    expect(records.map(({ status }) => status)).toEqual([200, 401, 200, 200])
  })

  test('sends the key only to the model, and logs how the model failed', async () => {
    const model = await scriptedModel((response) => response.writeHead(401).end('sk-secret is wrong'))
    const env = { SPILLWAY_MODEL_API_KEY: 'sk-secret' }
    const service = await startServe(['--model', 'm', '--model-base-url', model.baseUrl], {
      cwd: temporaryFolder(),
      env,
    })
    const { status, json } = await service.post('/context_offload', { messages: TALK, context_manage_mode: 'compress' })
    expect(status).toBe(502)
    expect(model.asked[0]?.authorization).toBe('Bearer sk-secret')
    expect(JSON.stringify(json)).not.toContain('sk-secret')
    const { stderr } = await service.stop()
    expect(stderr).not.toContain('sk-secret')
    expect(stderr).toContain('"message":"The model answered with status 401."')
  })

  test('respects its limits', async () => {
    const args = ['--max-body', '1KB', '--rate', '1', '--quiet']
    const service = await startServe(args, { cwd: temporaryFolder() })
    expect((await service.post('/grep', { pattern: 'a', extra: 'x'.repeat(2_000) })).status).toBe(413)
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => (await service.post('/grep', { pattern: 'a' })).status),
    )
    expect(statuses).toContain(429)
    expect((await service.stop('SIGINT')).stderr).toMatch(/^spillway: Listening at \S+\n$/)
  })

  test.for<readonly [readonly string[], string]>([
    [['--listen', '0.0.0.0:0'], 'can be reached from other machines'],
    [['--listen', 'nonsense'], 'Write a port'],
    [['--tokens', 'missing.json'], 'missing.json cannot be read (ENOENT)'],
    [['--model-base-url', 'http://127.0.0.1:1'], '--model-base-url needs --model'],
    [['--model', 'm', '--model-base-url', 'http://models.example'], 'not sent over plain HTTP'],
    [['--max-body', 'much'], 'Write a number of bytes'],
    [['--rate', '0'], 'Write a whole number, 1 or more'],
    [['--store', 'nonsense:'], 'nonsense'],
  ])('refuses %j', async ([args, message]) => {
    const env = { OPENAI_API_KEY: 'sk-secret' }
    const { code, stderr } = await spillway(['serve', ...args], { cwd: temporaryFolder(), env })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('sk-secret')
  })
})
