import { expect, test } from 'vitest'
import { refuse, say, scriptedModel, SNAPSHOT, type ScriptedAnswer } from '../../test/serve/scripted-model.ts'
import { chatSummarizer, createSummarizer, type ChatModel } from './chat-summarizer.ts'

const ask = (model: Partial<ChatModel> & { baseUrl: URL }, signal: AbortSignal = AbortSignal.timeout(60_000)) =>
  chatSummarizer({ model: 'test-model', retryDelayMs: 10, ...model })({
    prompt: 'Summarise this.',
    maxTokens: 100,
    messages: [],
    previousSnapshot: undefined,
    signal,
  })

test('a model request has one message and the key', async () => {
  const { baseUrl, asked } = await scriptedModel(say(SNAPSHOT))
  expect(await ask({ baseUrl: new URL(baseUrl), apiKey: 'sk-test' })).toBe(SNAPSHOT)
  expect(asked).toEqual([
    {
      path: '/v1/chat/completions',
      authorization: 'Bearer sk-test',
      body: { model: 'test-model', messages: [{ role: 'user', content: 'Summarise this.' }] },
    },
  ])
})

test('a model request sends no key if none is configured, and keeps the query of the URL', async () => {
  const { baseUrl, asked } = await scriptedModel(
    say([
      { type: 'text', text: 'in ' },
      { type: 'text', text: 'parts' },
    ]),
  )
  expect(await ask({ baseUrl: new URL(`${baseUrl}/?version=2`) })).toBe('in parts')
  expect(asked[0]).toMatchObject({ path: '/v1/chat/completions?version=2', authorization: undefined })
})

test('a model request is repeated with growing delays if the model is busy or fails', async () => {
  const { baseUrl, asked } = await scriptedModel(
    refuse(429),
    refuse(500),
    (response) => response.destroy(),
    say('well'),
  )
  const begin = performance.now()
  expect(await ask({ baseUrl: new URL(baseUrl), retryDelayMs: 20 })).toBe('well')
  expect(asked.length).toBe(4)
  expect(performance.now() - begin).toBeGreaterThan(0.75 * (20 + 40 + 80))
})

test('a model request is repeated after the time in Retry-After', async () => {
  const { baseUrl } = await scriptedModel(refuse(503, { 'retry-after': '1' }), say('well'))
  const begin = performance.now()
  await ask({ baseUrl: new URL(baseUrl) })
  expect(performance.now() - begin).toBeGreaterThan(990)
})

test.for<readonly [string, ScriptedAnswer, number, string]>([
  ['a wrong key', refuse(401), 1, 'The model answered with status 401.'],
  ['an unknown model', refuse(404), 1, 'The model answered with status 404.'],
  ['failures without end', refuse(500), 5, 'The model answered with status 500.'],
  [
    'what is not JSON',
    (response) => response.end('a secret of the model'),
    1,
    'The model answered without valid JSON.',
  ],
  [
    'an answer without a message',
    (response) => response.end('{"choices":[]}'),
    1,
    'The model answered without a message.',
  ],
  ['an answer without end', (response) => response.end('x'.repeat(5_000_000)), 1, 'more than 4194304 bytes'],
  ['a way to elsewhere', refuse(307, { location: 'http://127.0.0.1:1/' }), 5, 'The model could not be reached.'],
])('a model request gives up on %s', async ([, answer, times, message]) => {
  const { baseUrl, asked } = await scriptedModel(answer)
  const failure = await ask({ baseUrl: new URL(baseUrl), apiKey: 'sk-secret' }).then(
    () => '',
    (error: Error) => error.message,
  )
  expect(failure).toContain(message)
  expect(failure).not.toMatch(/secret/)
  expect(asked.length).toBe(times)
})

test('a model request ends at its deadline, even if the model does not answer', async () => {
  const { baseUrl } = await scriptedModel(() => {})
  const begin = performance.now()
  await expect(ask({ baseUrl: new URL(baseUrl) }, AbortSignal.timeout(300))).rejects.toThrow('timeout')
  const { baseUrl: busy } = await scriptedModel(refuse(429, { 'retry-after': '60' }))
  await expect(ask({ baseUrl: new URL(busy) }, AbortSignal.timeout(300))).rejects.toThrow('abort')
  expect(performance.now() - begin).toBeLessThan(30_000)
})

test('a model request is repeated if one attempt takes too long', async () => {
  const { baseUrl, asked } = await scriptedModel(() => {}, say('well'))
  expect(await ask({ baseUrl: new URL(baseUrl), attemptTimeoutMs: 2_000 })).toBe('well')
  expect(asked.length).toBe(2)
})

const request = {
  prompt: 'x',
  maxTokens: 1,
  messages: [],
  previousSnapshot: undefined,
  signal: new AbortController().signal,
}

test('a summarizer needs a model', () => {
  expect(createSummarizer({}, {})).toBeUndefined()
  expect(() => createSummarizer({ modelBaseUrl: 'http://127.0.0.1:1' }, {})).toThrow('--model-base-url needs --model')
})

test.for([
  [{ SPILLWAY_MODEL_API_KEY: 'one', OPENAI_API_KEY: 'two' }, 'Bearer one'],
  [{ OPENAI_API_KEY: 'two' }, 'Bearer two'],
  [{ SPILLWAY_MODEL_API_KEY: '', OPENAI_API_KEY: 'two' }, 'Bearer two'],
  [{}, undefined],
] as const)('the key of %j is %s', async ([environment, authorization]) => {
  const { baseUrl, asked } = await scriptedModel(say('x'))
  await createSummarizer({ model: 'm', modelBaseUrl: baseUrl }, environment)?.(request)
  expect(asked[0]?.authorization).toBe(authorization)
})

test("OpenAI's API needs a key", () => {
  expect(() => createSummarizer({ model: 'm' }, {})).toThrow('needs a key in SPILLWAY_MODEL_API_KEY')
  expect(createSummarizer({ model: 'm' }, { OPENAI_API_KEY: 'two' })).toBeTypeOf('function')
})

test('a key is sent over plain HTTP only to this machine', () => {
  const key = { OPENAI_API_KEY: 'sk-secret' }
  for (const modelBaseUrl of [
    'http://models.example/v1',
    'http://10.0.0.1/v1',
    'http://localhost.example/v1',
    'http://127.0.0.1.example/v1',
  ])
    expect(() => createSummarizer({ model: 'm', modelBaseUrl }, key)).toThrow(/not sent over plain HTTP/)
  for (const modelBaseUrl of [
    'http://localhost:11434/v1',
    'http://127.0.0.1:1',
    'http://[::1]:1/v1',
    'https://models.example/v1',
  ])
    expect(createSummarizer({ model: 'm', modelBaseUrl }, key)).toBeTypeOf('function')
  expect(createSummarizer({ model: 'm', modelBaseUrl: 'http://models.example/v1' }, {})).toBeTypeOf('function')
})

test.for(['nonsense', 'ftp://a/', 'https://me:secret@a/'])('the address of a model cannot be %s', (modelBaseUrl) => {
  expect(() => createSummarizer({ model: 'm', modelBaseUrl }, {})).toThrow(/^--model-base-url/)
  expect(() => createSummarizer({ model: 'm', modelBaseUrl }, {})).not.toThrow(/secret/)
})
