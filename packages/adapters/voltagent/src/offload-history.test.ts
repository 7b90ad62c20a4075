import { isDeepStrictEqual } from 'node:util'
import type { ContextOffloader } from '@spillway/core'
import { writeModelOutput } from '@spillway/core/adapter'
import { InMemoryStorageAdapter, Memory, type AgentHooks } from '@voltagent/core'
import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import {
  agentOf,
  calling,
  createOffloader,
  LOG,
  OFFLOADED,
  retrieving,
  scriptedModel,
  textOf,
  toolOf,
} from '../test/scripted-agent.ts'
import { isReplacedOutput, offloadHistory, readModelOutput } from './offload-history.ts'
import { offloadHooks } from './offload-hooks.ts'
import { resolveOptions, type Settings } from './offload-options.ts'
import { offloadTools } from './offload-tools.ts'

const IN_A = { conversationId: 'a', userId: 'u' }
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Uint8Array(1_200_000)])
const readLog = toolOf('read_log', async () => LOG)
const capture = toolOf('capture', async () => Buffer.from(PNG).toString('base64'), {
  toModelOutput: ({ output }) => ({
    type: 'content',
    value: [{ type: 'media', data: String(output), mediaType: 'image/png' }],
  }),
})

it('shows what its memory saved as it was shown then: replacements, answers and images that were retrieved', async () => {
  const { offloader, events } = createOffloader()
  const memory = new Memory({ storage: new InMemoryStorageAdapter() })
  const options = { memory, tools: offloadTools([readLog, capture], offloader), hooks: offloadHooks(offloader) }
  const first = scriptedModel(calling('read_log', 'capture'), retrieving({}, 'retrieval_1'), ({ results }) =>
    retrieving({ pattern: 'FAILED' }, 'retrieval_2')({ results: results.slice(0, 1) } as never),
  )
  await agentOf({ model: first.model, ...options }).generateText('Go.', IN_A)
  const second = scriptedModel()
  await agentOf({ model: second.model, ...options }).generateText('Go on.', IN_A)
  const shown = first.prompts.at(-1)?.results
  expect(shown).toHaveLength(4)
  const [image] = shown?.[2]?.content ?? []
  expect(image?.type === 'image' && image.data !== undefined && Buffer.from(PNG).equals(image.data)).toBe(true)
  expect(isDeepStrictEqual(second.prompts[0]?.results, shown)).toBe(true)
  expect(events.filter(({ type }) => type === 'offload')).toHaveLength(2)
})

it('leaves small results of its memory to VoltAgent', async () => {
  const { offloader } = createOffloader()
  const run = async (hooks: AgentHooks) => {
    const memory = new Memory({ storage: new InMemoryStorageAdapter() })
    const tools = [toolOf('status', async () => 'well'), toolOf('users', async () => ({ users: 2 }))]
    const options = { memory, tools, hooks }
    await agentOf({ model: scriptedModel(calling('status', 'users')).model, ...options }).generateText('Go.', IN_A)
    const { model, prompts } = scriptedModel()
    await agentOf({ model, ...options }).generateText('Go on.', IN_A)
    return prompts[0]?.messages
  }
  expect(await run(offloadHooks(offloader))).toBe(await run({}))
})

it('offloads what a memory holds from before', async () => {
  const { offloader } = createOffloader()
  const memory = new Memory({ storage: new InMemoryStorageAdapter() })
  const before = scriptedModel(calling('read_log'))
  await agentOf({ model: before.model, memory, tools: [readLog] }).generateText('Go.', IN_A)
  const { model, prompts } = scriptedModel(retrieving({ pattern: 'FAILED' }))
  const options = { memory, tools: offloadTools([readLog], offloader), hooks: offloadHooks(offloader) }
  await agentOf({ model, ...options }).generateText('Go on.', IN_A)
  expect(textOf(prompts[0]?.results[0])).toMatch(OFFLOADED)
  expect(textOf(prompts[1]?.results[1])).toContain('FAILED')
})

it('offloads the raw outputs of a chat as in the run that made them, with the same bytes', async () => {
  const { offloader } = createOffloader()
  const options = { tools: offloadTools([readLog], offloader), hooks: offloadHooks(offloader) }
  const first = scriptedModel(calling('read_log'))
  const asked: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }
  const { steps } = await agentOf({ model: first.model, ...options }).generateText([asked], IN_A)
  const { toolCallId, output } = steps[0]?.toolResults[0] ?? {}
  const part = { type: 'tool-read_log', toolCallId, state: 'output-available', input: {}, output }
  const answered = { id: '2', role: 'assistant', parts: [part] } as UIMessage
  const second = scriptedModel()
  await agentOf({ model: second.model, ...options }).generateText([asked, answered, { ...asked, id: '3' }], IN_A)
  expect(JSON.stringify(answered)).toContain('line 4999')
  expect(second.prompts[0]?.results).toEqual(first.prompts[1]?.results)
})

type Event = Parameters<typeof offloadHistory>[1]

/** What the hook is told, as far as it is read. */
const eventOf = (modelMessages: Event['modelMessages']): Event =>
  ({ modelMessages, context: { abortController: new AbortController() } }) as Event

const settingsOf = (offloader: ContextOffloader, except: readonly string[] = []): Settings =>
  resolveOptions(offloader, { except }, { usage: 'offloadHooks(offloader, options)' })

const replaceIn = (offloader: ContextOffloader, messages: Event['modelMessages'], except: readonly string[] = []) =>
  offloadHistory(settingsOf(offloader, except), eventOf(messages))

const call = { type: 'tool-call', toolCallId: 'call_0', toolName: 'read_log', input: { path: '/' } } as const
const resultOf = (output: object, toolName = 'read_log'): never =>
  ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_0', toolName, output }] }) as never

it('tells the offloader the input of the call, which stands in another message', async () => {
  const inputs: unknown[] = []
  const { offloader } = createOffloader({ shouldOffload: ({ input }) => inputs.push(input) > 0 })
  const messages = [{ role: 'assistant' as const, content: [call] }, resultOf({ type: 'text', value: LOG })]
  await replaceIn(offloader, messages)
  expect(inputs).toEqual([{ path: '/' }])
})

/** What a hostile tool may return, so that it becomes content when its conversation goes on. */
const lookAlike = (part: object): object => ({
  type: 'content',
  value: [{ type: 'text', text: '[Offloaded: 1 blocks, ~9 tokens]' }, part],
})

it.each([
  ['a small text', resultOf({ type: 'text', value: 'well' })],
  ['a small text of the memory', resultOf({ type: 'json', value: { type: 'text', value: 'well' } })],
  ['a value that looks like an output', resultOf({ type: 'json', value: { type: 'text', value: 7 } })],
  ['content that is no list', resultOf({ type: 'json', value: { type: 'content', value: 'a' } })],
  [
    'content that has an address',
    resultOf({ type: 'json', value: lookAlike({ type: 'image-url', url: 'http://10.0.0.1' }) }),
  ],
  ['content of unknown parts', resultOf({ type: 'json', value: lookAlike({ type: 'image-data', data: 7 }) })],
  ['null', resultOf({ type: 'json', value: null })],
  ['a denied call', resultOf({ type: 'execution-denied', reason: 'no' })],
  ['an output of no kind', resultOf({})],
  ['an answer of the retrieval tool', resultOf({ type: 'text', value: LOG }, 'retrieve_offloaded_content')],
  [
    'an answer to an approval',
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] } as never,
  ],
  ['what the user says', { role: 'user', content: LOG } as never],
  ['what the model said', { role: 'assistant', content: [{ type: 'text', text: LOG }] } as never],
])('keeps a message with %s, as the very object', async (_, message) => {
  const { offloader } = createOffloader()
  expect((await replaceIn(offloader, [message]))[0]).toBe(message)
})

it('offloads a large value of a tool that only looks like what was offloaded', async () => {
  const value = `[Offloaded: 1 blocks, ~7 tokens]\n${LOG}`
  const { offloader } = createOffloader()
  for (const alike of [
    { type: 'text', value },
    { type: 'content', value: [{ type: 'text', text: value }] },
  ]) {
    const replaced = await replaceIn(offloader, [resultOf({ type: 'json', value: alike })])
    expect(JSON.stringify(replaced).length).toBeLessThan(10_000)
    expect(JSON.stringify(replaced)).not.toContain('~7 tokens]","')
  }
})

it('counts a small text once in all operations, and a large one in each', async () => {
  let counts = 0
  const countTokens = (text: string): number => {
    counts += 1
    return text.length / 4
  }
  const { offloader, events } = createOffloader({ countTokens })
  const settings = settingsOf(offloader)
  // New objects each time, as VoltAgent makes them.
  const small = () => [
    resultOf({ type: 'text', value: 'well' }),
    resultOf({ type: 'json', value: { type: 'text', value: 'well' } }),
  ]
  const first = small()
  const kept = await offloadHistory(settings, eventOf(first))
  for (const [index, message] of kept.entries()) expect(message).toBe(first[index])
  expect(counts).toBeGreaterThan(0)
  counts = 0
  await offloadHistory(settings, eventOf(small()))
  expect(counts).toBe(0)
  for (let operation = 0; operation < 2; operation += 1)
    await offloadHistory(settings, eventOf([resultOf({ type: 'text', value: LOG })]))
  expect(events.map(({ type }) => type)).toEqual(['offload', 'offload'])
})

it('leaves results of tools that are named in except', async () => {
  const message = resultOf({ type: 'text', value: LOG })
  const { offloader } = createOffloader()
  expect((await replaceIn(offloader, [message], ['read_log']))[0]).toBe(message)
})

it('keeps the other results of a message as the very objects', async () => {
  const small = {
    type: 'tool-result',
    toolCallId: 'call_1',
    toolName: 'status',
    output: { type: 'text', value: 'well' },
  }
  const large = { ...small, toolCallId: 'call_0', output: { type: 'text', value: LOG } }
  const message = { role: 'tool', content: [large, small] } as never
  const { offloader } = createOffloader()
  const [replaced] = (await replaceIn(offloader, [message])) as unknown as [{ content: object[] }]
  expect(replaced.content[0]).toMatchObject({
    toolCallId: 'call_0',
    output: { type: 'text', value: expect.stringMatching(OFFLOADED) },
  })
  expect(replaced.content[1]).toBe(small)
  expect(large.output.value).toBe(LOG)
})

describe('readModelOutput', () => {
  const TEXT = { type: 'text', text: 'two users' } as const
  const IMAGE = { type: 'image', mediaType: 'image/png', data: new Uint8Array([104, 105]) } as const

  it.each([
    ['a text', [TEXT], false],
    ['an error', [TEXT], true],
    ['parts', [TEXT, IMAGE], false],
  ] as const)('reads back %s, as the very object', (_name, blocks, isError) => {
    for (const form of ['media', 'file-data', 'file'] as const) {
      const saved: unknown = JSON.parse(JSON.stringify(writeModelOutput(blocks, { isError, form })))
      expect(readModelOutput(saved)).toBe(saved)
    }
  })

  it.each([
    [undefined],
    [null],
    ['text'],
    [[]],
    [{ type: 'text', value: 7 }],
    [{ type: 'json', value: 'text' }],
    [{ type: 'execution-denied', value: 'text' }],
    [{ type: 'content', value: 'text' }],
    [{ type: 'content', value: [TEXT, 'text'] }],
    [{ type: 'content', value: [{ type: 'image-data', data: 'no base64!', mediaType: 'image/png' }] }],
    [{ type: 'content', value: [{ type: 'image-url', url: 'http://10.0.0.1/a.png' }] }],
    [
      {
        type: 'content',
        value: [{ type: 'file', mediaType: 'image/png', data: { type: 'url', url: 'http://10.0.0.1' } }],
      },
    ],
  ])('takes %o for a value', (saved) => {
    expect(readModelOutput(saved)).toBeUndefined()
  })
})

describe('isReplacedOutput', () => {
  const text = '[Offloaded: 1 blocks, ~20,000 tokens]\nThe tool result was offloaded.'
  const image = { type: 'image-data', data: 'aGk=', mediaType: 'image/png' } as const

  it.each([
    [{ type: 'text', value: text }],
    [{ type: 'error-text', value: text }],
    [{ type: 'content', value: [{ type: 'text', text }, image] }],
  ] as const)('knows what was offloaded by the text that comes first: %o', (output) => {
    expect(isReplacedOutput(output as Parameters<typeof isReplacedOutput>[0])).toBe(true)
  })

  it.each([
    [{ type: 'text', value: 'two users' }],
    [{ type: 'content', value: [] }],
    [{ type: 'content', value: [image, { type: 'text', text }] }],
  ] as const)('takes %o for an output like any other', (output) => {
    expect(isReplacedOutput(output as Parameters<typeof isReplacedOutput>[0])).toBe(false)
  })
})
