import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { MessageData, MiddlewareRef, ToolAction } from 'genkit'
import { genkit, z, type GenkitBeta } from 'genkit/beta'
import { expect, it } from 'vitest'
import { defineFakeModel } from '../../test/fake-model.ts'
import { offloadMiddleware } from '../offload-middleware.ts'
import { historyMiddleware, type HistoryMiddlewareOptions } from './history-middleware.ts'
import { summarizeWith } from './summarize-with.ts'

const PART = Array.from({ length: 100 }, (_, line) => `line ${line} of a part`).join('\n')
const LIMITS = { maxTotalTokens: 2_000, maxToolMessageTokens: 200 } as const
const SNAPSHOT =
  '<state_snapshot><overall_goal>Read.</overall_goal><key_knowledge>A summary.</key_knowledge></state_snapshot>'
const CHAT = { scope: ['chat-1'] } as const
const create = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })

interface Bench {
  readonly ai: GenkitBeta
  readonly prompts: readonly SeenPrompt[]
  /** Options of `generate` besides the prompt. */
  readonly options: {
    readonly model: ReturnType<GenkitBeta['defineModel']>
    readonly tools: ToolAction[]
    readonly use: MiddlewareRef[]
    readonly maxTurns: number
  }
  readonly asked: () => number
}

/** A model that reads the given number of parts after the last user message, and a model that summarizes. */
function bench(
  options: HistoryMiddlewareOptions = LIMITS,
  { offloader = create(), parts = 8, summarizes = false } = {},
): Bench {
  const ai = genkit({})
  const prompts: SeenPrompt[] = []
  let asked = 0
  const model = defineFakeModel(ai, (prompt) => {
    const calls = prompts.push(prompt)
    return calls % (parts + 1) === 0
      ? { text: 'done' }
      : { toolCalls: [{ id: `call_${calls}`, name: 'read_part', input: {} }] }
  })
  const small = ai.defineModel({ apiVersion: 'v2', name: 'small' }, async (_request, { sendChunk }) => {
    asked += 1
    const content = [{ text: SNAPSHOT }]
    sendChunk({ content })
    return { message: { role: 'model', content }, finishReason: 'stop' }
  })
  const config = { name: 'read_part', description: 'Read a part.', inputSchema: z.object({}) }
  const tools = [ai.defineTool(config, async () => PART)]
  const summarize = summarizes ? { summarize: summarizeWith(ai, { model: small }) } : {}
  const scope = options.scope === undefined ? CHAT : {}
  const history = historyMiddleware(offloader, { ...options, ...summarize })(scope)
  const use = [offloadMiddleware(offloader, { scope: options.scope })(scope), history]
  return { ai, prompts, options: { model, tools, use, maxTurns: 100 }, asked: () => asked }
}

const textOf = ({ content: [part] }: SeenResult): string => (part?.type === 'text' ? part.text : JSON.stringify(part))
const outputsOf = (messages: readonly MessageData[]): unknown[] =>
  messages.flatMap(({ content }) => content.flatMap(({ toolResponse }) => toolResponse?.output ?? []))

it("historyMiddleware replaces older results for the model, and leaves the program's messages unchanged", async () => {
  const { ai, prompts, options } = bench()
  const { messages } = await ai.generate({ ...options, prompt: 'Go.' })
  const last = prompts.at(-1)!.results.map(textOf)
  expect(last.slice(0, 3).every((text) => text.startsWith('[Offloaded: '))).toBe(true)
  expect(last.at(-1)).toBe(PART)
  expect(outputsOf(messages)).toEqual(Array(8).fill(PART))
})

it('historyMiddleware keeps the summary in the next call of a chat, and requests it once', async () => {
  const { ai, prompts, options, asked } = bench({ ...LIMITS, mode: 'compress' }, { summarizes: true })
  const system = 'You are brief.'
  const { messages } = await ai.generate({ ...options, system, prompt: 'Go.' })
  const [before, last] = [asked(), prompts.at(-1)!]
  expect(messages).toHaveLength(19)
  // A copy, as a program would save it.
  const saved = JSON.parse(JSON.stringify(messages)) as MessageData[]
  await ai.generate({ ...options, messages: saved, prompt: 'Thanks.' })
  expect(before).toBeGreaterThan(0)
  expect(last.system).toMatch(/^You are brief\.\n\n<state_snapshot>[^]*A summary\./)
  expect(prompts[9]?.system).toBe(last.system)
  expect(prompts[9]?.messages.startsWith(last.messages.slice(0, -1))).toBe(true)
})

it('historyMiddleware keeps the summary out of streams', async () => {
  const { ai, options, asked } = bench({ ...LIMITS, mode: 'compress' }, { summarizes: true })
  const { stream, response } = ai.generateStream({ ...options, prompt: 'Go.' })
  const seen: string[] = []
  for await (const { text } of stream) seen.push(text)
  await response
  expect(asked()).toBeGreaterThan(0)
  expect(seen.length).toBeGreaterThan(8)
  expect(seen.filter((text) => text.includes('A summary.'))).toEqual([])
})

it('historyMiddleware stores in the given scope', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null })
  const scope: HistoryMiddlewareOptions['scope'] = ({ context }) => ['tenant', String(context['session'])]
  const { ai, options } = bench({ ...LIMITS, scope }, { offloader: new ContextOffloader({ storage }) })
  await ai.generate({ ...options, prompt: 'Go.', context: { session: 'a' } })
  expect((await Array.fromAsync(storage.scope('tenant', 'a').list())).length).toBeGreaterThan(2)
  expect(await Array.fromAsync(storage.scope('a').list())).toEqual([])
})

it('historyMiddleware uses the default model if the option model is missing', async () => {
  const ai = genkit({ model: 'default' })
  const seen: string[] = []
  ai.defineModel({ apiVersion: 'v2', name: 'default' }, async ({ messages, config }) => {
    seen.push(JSON.stringify([messages, config]))
    return { message: { role: 'model', content: [{ text: SNAPSHOT }] }, finishReason: 'stop' }
  })
  const summarize = summarizeWith(ai, { config: { temperature: 0 } })
  const { signal } = new AbortController()
  const request = { prompt: '{{not a template}}', maxTokens: 500, messages: [], previousSnapshot: undefined, signal }
  expect(await summarize(request)).toBe(SNAPSHOT)
  expect(seen).toEqual([
    JSON.stringify([[{ role: 'user', content: [{ text: '{{not a template}}' }] }], { temperature: 0 }]),
  ])
})

it('historyMiddleware rejects invalid options at construction, and an invalid config in a run', async () => {
  const make = (options: unknown) => () => historyMiddleware(create(), options as HistoryMiddlewareOptions)
  expect(() => historyMiddleware({} as never)).toThrow(/offloader must be a ContextOffloader/)
  expect(make({ maxTokens: 1 })).toThrow(/Unknown option "maxTokens"/)
  expect(make({ scope: 'a' })).toThrow(/scope must be a function/)
  expect(make(null)).toThrow(/options must be an object/)
  expect(() => summarizeWith({} as never)).toThrow(/ai must be the object that genkit\(\) returns/)
  const { ai, options } = bench()
  const use = [historyMiddleware(create())({ scope: 'chat-1' } as never)]
  await expect(ai.generate({ ...options, use, prompt: 'Go.' })).rejects.toThrow(/scope/)
})
