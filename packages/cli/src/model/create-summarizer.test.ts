import { expect, test } from 'vitest'
import { say, scriptedModel } from '../../test/serve/scripted-model.ts'
import { createSummarizer } from './create-summarizer.ts'

const request = {
  prompt: 'x',
  maxTokens: 1,
  messages: [],
  previousSnapshot: undefined,
  signal: AbortSignal.timeout(5_000),
}

test('without a model there is nobody to ask', () => {
  expect(createSummarizer({}, {})).toBeUndefined()
  expect(() => createSummarizer({ modelBaseUrl: 'http://127.0.0.1:1' }, {})).toThrow('--model-base-url needs --model')
})

test.for([
  [{ SPILLWAY_MODEL_API_KEY: 'one', OPENAI_API_KEY: 'two' }, 'Bearer one'],
  [{ OPENAI_API_KEY: 'two' }, 'Bearer two'],
  [{ SPILLWAY_MODEL_API_KEY: '', OPENAI_API_KEY: 'two' }, 'Bearer two'],
  [{}, undefined],
] as const)('of %j the key is %s', async ([environment, authorization]) => {
  const { baseUrl, asked } = await scriptedModel(say('x'))
  await createSummarizer({ model: 'm', modelBaseUrl: baseUrl }, environment)?.(request)
  expect(asked[0]?.authorization).toBe(authorization)
})

test('a key goes over plain HTTP to this machine alone', () => {
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

test.for(['nonsense', 'ftp://a/', 'https://me:secret@a/'])('%s is no address of a model', (modelBaseUrl) => {
  expect(() => createSummarizer({ model: 'm', modelBaseUrl }, {})).toThrow(/^--model-base-url/)
  expect(() => createSummarizer({ model: 'm', modelBaseUrl }, {})).not.toThrow(/secret/)
})
