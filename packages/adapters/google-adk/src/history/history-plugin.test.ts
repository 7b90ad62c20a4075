import { BaseLlm, type BasePlugin, type Event, type LlmRequest, type LlmResponse } from '@google/adk'
import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import type { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import {
  agentOf,
  calling,
  chatWith,
  newOffloader,
  referenceIn,
  REPLACED,
  scriptedModel,
  textOf,
  toolReturning,
} from '../../test/run-agent.ts'
import { offloadPlugin } from '../offload-plugin.ts'
import { historyPlugin, type HistoryPluginOptions } from './history-plugin.ts'
import { summarizeWith } from './summarize-with.ts'

const PART = Array.from({ length: 100 }, (_, line) => `line ${line} of a part`).join('\n')
const LIMITS = { maxTotalTokens: 2_000, maxToolMessageTokens: 200 } as const
const SNAPSHOT =
  '<state_snapshot><overall_goal>Read.</overall_goal><key_knowledge>A summary.</key_knowledge></state_snapshot>'
const READING: readonly ModelTurn[] = Array.from({ length: 8 }, (_, step) =>
  calling('read_part', {}, `call_${step + 1}`),
)
const readPart = toolReturning('read_part', PART)
const lasting = (): ReturnType<typeof newOffloader> =>
  newOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })
const pluginsOf = (offloader: ContextOffloader, options: HistoryPluginOptions = LIMITS): BasePlugin[] => [
  historyPlugin(offloader, options),
  offloadPlugin(offloader, { scope: options.scope }),
]

/** A model for summaries that streams its reasoning first, and records its requests. */
class Summarizer extends BaseLlm {
  readonly requests: LlmRequest[] = []
  readonly responses: readonly LlmResponse[]

  constructor(...responses: readonly LlmResponse[]) {
    super({ model: 'small' })
    this.responses = responses
  }

  override async *generateContentAsync(request: LlmRequest): AsyncGenerator<LlmResponse, void> {
    this.requests.push(request)
    yield* this.responses
  }

  override connect(): Promise<never> {
    return Promise.reject(new Error('This model has no live sessions.'))
  }
}

const summarizer = (): Summarizer =>
  new Summarizer(
    { content: { role: 'model', parts: [{ text: 'A summary, perhaps.' }] }, partial: true },
    { content: { role: 'model', parts: [{ text: 'I think.', thought: true }, { text: SNAPSHOT }] } },
  )

const responsesOf = (events: readonly Event[]): unknown[] =>
  events.flatMap(({ content }) => (content?.parts ?? []).flatMap((part) => part.functionResponse?.response ?? []))

it('historyPlugin replaces older results in requests, and leaves the events of the session unchanged', async () => {
  const model = scriptedModel(...READING)
  const chat = await chatWith(agentOf({ model, tools: [readPart] }), pluginsOf(lasting()))
  await chat.say()
  const last = model.prompts.at(-1)!.results.map(textOf)
  for (const text of last.slice(0, 3)) expect(text).toMatch(REPLACED)
  expect(last.at(-1)).toBe(PART)
  expect(responsesOf(await chat.saved())).toEqual(Array.from({ length: 8 }, () => ({ result: PART })))
})

it('historyPlugin keeps the summary for the next message, and requests it once', async () => {
  const small = summarizer()
  const options = { ...LIMITS, mode: 'compress', summarize: summarizeWith(small) } as const
  const model = scriptedModel(...READING)
  const agent = agentOf({ model, instruction: 'You are brief.', tools: [readPart] })
  const chat = await chatWith(agent, pluginsOf(lasting(), options))
  await chat.say()
  const [before, last] = [small.requests.length, model.prompts.at(-1)!]
  await chat.say([{ text: 'Thanks.' }])
  expect(before).toBeGreaterThan(0)
  expect(small.requests[0]).toMatchObject({ model: 'small', toolsDict: {}, contents: [{ role: 'user' }] })
  expect(last.system).toMatch(/You are brief\.\n\n<state_snapshot>\n[^]*A summary\.[^]*\[Compressed: /)
  expect(last.system).not.toContain('I think.')
  expect(model.prompts[9]?.system).toBe(last.system)
  expect(model.prompts[9]?.messages.startsWith(last.messages.slice(0, -1))).toBe(true)
})

it('historyPlugin makes the same references for calls without ids', async () => {
  const promptsOf = async (): Promise<readonly SeenPrompt[]> => {
    const model = scriptedModel(...READING.map(() => calling('read_part', {}, '')))
    const chat = await chatWith(agentOf({ model, tools: [readPart] }), pluginsOf(lasting()))
    await chat.say()
    return model.prompts
  }
  const [first, second] = [await promptsOf(), await promptsOf()]
  expect(textOf(first.at(-1)?.results[0])).toMatch(REPLACED)
  expect(first.map(({ messages }) => messages)).toEqual(second.map(({ messages }) => messages))
})

it('historyPlugin keeps retrieved media after their answers, even if references replaced the answers', async () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
  const offloader = lasting()
  const reference = await offloader.forScope('app', 'user', 'session').options.storage.store('image', png, 'image/png')
  const retrieving = calling('retrieve_offloaded_content', { reference }, 'call_image')
  const model = scriptedModel(retrieving, ...READING, (prompt) =>
    calling('retrieve_offloaded_content', { reference: referenceIn(textOf(prompt.results[1])), pattern: 'line 42' }),
  )
  const chat = await chatWith(agentOf({ model, tools: [readPart] }), pluginsOf(offloader))
  await chat.say()
  expect(model.prompts[1]?.results[0]?.content.at(-1)).toMatchObject({ type: 'image', data: png })
  expect(textOf(model.prompts.at(-1)?.results.at(-1))).toContain('line 42 of a part')
})

it('historyPlugin keeps contents if the summary model fails', async () => {
  const offloader = lasting()
  const failing = new Summarizer({ errorCode: '503', errorMessage: 'overloaded' })
  const options = { ...LIMITS, mode: 'compress', summarize: summarizeWith(failing) } as const
  const model = scriptedModel(...READING)
  const chat = await chatWith(agentOf({ model, tools: [readPart] }), pluginsOf(offloader, options))
  await chat.say()
  expect(model.prompts.at(-1)?.results.map(textOf)).toEqual(Array(8).fill(PART))
  expect(offloader.events.filter(({ type }) => type === 'history').at(-1)).toMatchObject({ fits: false, applied: [] })
})

it('historyPlugin remembers its outcome for each agent of a session', async () => {
  const offloader = lasting()
  const summarize = summarizeWith(summarizer())
  const options = { ...LIMITS, mode: 'compress', summarize } as const
  const helper = scriptedModel(...READING, { text: 'helped' }, ...READING)
  const sub = agentOf({ name: 'helper', description: 'Helps.', model: helper, tools: [readPart] })
  const main = scriptedModel(calling('transfer_to_agent', { agentName: 'helper' }, 'call_t'))
  const agent = agentOf({ model: main, tools: [readPart], subAgents: [sub] })
  const chat = await chatWith(agent, pluginsOf(offloader, options))
  await chat.say()
  await chat.say([{ text: 'More.' }])
  const systems = helper.prompts.map(({ system = '' }) => system.split('<state_snapshot>').length - 1)
  expect(systems.filter((count) => count === 1).length).toBeGreaterThan(8)
  expect(Math.max(...systems)).toBe(1)
})

it('historyPlugin stores in the given scope, by default in the scope of app, user and session', async () => {
  for (const [options, segments] of [
    [LIMITS, ['app', 'user', 'session']],
    [{ ...LIMITS, scope: () => ['tenant'] }, ['tenant']],
  ] as const) {
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    const chat = await chatWith(
      agentOf({ model: scriptedModel(...READING), tools: [readPart] }),
      pluginsOf(newOffloader({ storage }), options),
    )
    await chat.say()
    expect((await Array.fromAsync(storage.scope(...segments).list())).length).toBeGreaterThan(2)
    const all = await Array.fromAsync(storage.list())
    expect(all).toHaveLength((await Array.fromAsync(storage.scope(...segments).list())).length)
  }
})

it('historyPlugin rejects invalid arguments at construction', () => {
  const make = (options: unknown) => () => historyPlugin(lasting(), options as HistoryPluginOptions)
  expect(() => historyPlugin({} as never)).toThrow(/offloader must be a ContextOffloader/)
  expect(make({ maxTokens: 1 })).toThrow(/Unknown option "maxTokens"/)
  expect(make({ scope: 'a' })).toThrow(/scope must be a function/)
  expect(make(null)).toThrow(/options must be an object/)
  expect(() => summarizeWith({} as never)).toThrow(/model must be a model of ADK or its name/)
})
