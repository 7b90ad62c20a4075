import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { ContextOffloader } from '@spillway/core'
import { anthropicMessages, expandHistory } from '@spillway/history'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeApi } from '../../test/fake-api.ts'
import { resultsIn } from '../../test/read-prompt.ts'
import { hasThreads } from '../../test/version.ts'
import { endTurns } from '../end-turns.ts'
import { offloadTools } from '../offload-tools.ts'
import { historyRunner } from './history-runner.ts'
import type { SessionHistoryOptions } from './history-params.ts'

type Message = Anthropic.Beta.BetaMessageParam

type Params = Anthropic.Beta.Messages.BetaToolRunnerParams & { stream?: false }

interface Sent {
  readonly messages: readonly Message[]
  readonly system?: string
  readonly thread?: { readonly type: string }
}

/** About 600 tokens, which is within the offloader's limit. */
const PART = 'a line of the part, and another word\n'.repeat(60)
const SNAPSHOT = '<overall_goal>Find it.</overall_goal><key_knowledge>It is not there.</key_knowledge>'
const summarize = async (): Promise<string> => `<state_snapshot>${SNAPSHOT}</state_snapshot>`
const COMPACT: SessionHistoryOptions = { mode: 'compact', maxTotalTokens: 3_000, maxToolMessageTokens: 300 }
const COMPRESS: SessionHistoryOptions = { maxTotalTokens: 3_000, maxToolMessageTokens: 2_000, summarize }
const STEPS = 9

let session: ContextOffloader
/** The bodies of all sent requests. */
let sent: Sent[]
let runs: number
let client: Anthropic

beforeEach(() => {
  session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')
  sent = []
  runs = 0
  client = newClient(STEPS)
})

/** A client whose model calls a tool `steps` times. */
function newClient(steps: number): Anthropic {
  let calls = 0
  const answer = fakeApi(() =>
    (calls += 1) <= steps ? { toolCalls: [{ id: `call_${calls}`, name: 'read', input: {} }] } : { text: 'done' },
  )
  const fetch: typeof answer = async (url, init) => {
    sent.push(JSON.parse(await new Request(url, init).text()) as Sent)
    return answer(url, init)
  }
  return new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
}

const run = (): string => {
  runs += 1
  return PART
}
const read = betaTool({ name: 'read', description: 'Read.', inputSchema: { type: 'object' }, run })
const question: Message = { role: 'user', content: 'Find it.' }
const params = (): Params => {
  return { model: 'claude-opus-5', max_tokens: 100, messages: [question], tools: offloadTools([read], session) }
}

describe('historyRunner', () => {
  it.each([
    ['awaited', async (runner: PromiseLike<Anthropic.Beta.BetaMessage>) => (await runner).content],
    [
      'iterated',
      async (runner: AsyncIterable<Anthropic.Beta.BetaMessage>) => {
        let content
        for await (const message of runner) ({ content } = message)
        return content
      },
    ],
  ])(
    'runs each tool once, and ends in the same way as without historyRunner, if the runner is %s',
    async (_how, finish) => {
      const runner = client.beta.messages.toolRunner(params())
      expect(historyRunner(runner, session, COMPACT)).toBe(runner)
      expect(await finish(runner)).toEqual([{ type: 'text', text: 'done' }])
      expect(runs).toBe(STEPS)
      expect(sent).toHaveLength(STEPS + 1)
      const results = resultsIn(runner.params.messages)
      expect(results.map(({ tool_use_id: id }) => id)).toEqual(
        Array.from({ length: STEPS }, (_, at) => `call_${at + 1}`),
      )
      expect(JSON.stringify(results[0])).toContain('[Offloaded: ')
      expect(results.at(-1)?.content).toBe(PART)
    },
  )

  it('sends the same requests within the limit', async () => {
    await client.beta.messages.toolRunner(params())
    const plain = sent.splice(0)
    client = newClient(STEPS)
    await historyRunner(client.beta.messages.toolRunner(params()), session, { maxTotalTokens: 100_000 })
    expect(sent).toEqual(plain)
  })

  it('compacts the first request of a run', async () => {
    await client.beta.messages.toolRunner(params())
    const { messages } = sent.at(-1)!
    const whole = hasThreads ? sent.flatMap((one) => one.messages) : messages
    sent = []
    client = newClient(0)
    const goingOn = { ...params(), messages: [...wholeHistory(whole), { role: 'user' as const, content: 'Go on.' }] }
    await historyRunner(client.beta.messages.toolRunner(goingOn), session, COMPACT)
    expect(JSON.stringify(sent[0]?.messages)).toContain('[Offloaded: ')
  })

  it('keeps the whole history, because the params can be expanded to it', async () => {
    const options = { ...COMPRESS, maxToolMessageTokens: 300, compactRatioThreshold: 0 }
    const runner = client.beta.messages.toolRunner({ ...params(), system: 'Be brief.' })
    await historyRunner(runner, session, options)
    expect(runner.params.system).toContain(SNAPSHOT)
    const format = anthropicMessages<Message, string | Anthropic.Beta.BetaTextBlockParam[]>()
    const { messages, system } = runner.params
    const expanded = await expandHistory({ system, messages }, { offloader: session, format })
    expect(expanded.missing).toEqual([])
    expect(expanded.messages.system).toBe('Be brief.')
    const results = resultsIn(expanded.messages.messages)
    expect(results.map(({ content }) => content)).toEqual(Array(STEPS).fill(PART))
  })

  it('continues from the params of an earlier run', async () => {
    const asked = vi.fn<typeof summarize>(summarize)
    const options = { ...COMPRESS, summarize: asked }
    const first = client.beta.messages.toolRunner(params())
    await historyRunner(first, session, options)
    expect(asked).toHaveBeenCalled()
    const { system, messages } = first.params
    const before = asked.mock.calls.length
    client = newClient(0)
    const saved = { ...params(), ...(system !== undefined && { system }), messages: [...messages, question] }
    const second = client.beta.messages.toolRunner(saved)
    await historyRunner(second, session, options)
    expect(asked).toHaveBeenCalledTimes(before)
    expect(second.params.system).toBe(system)
  })

  it('keeps messages that the program sets itself', async () => {
    const runner = client.beta.messages.toolRunner(params())
    let steps = 0
    for await (const { role, content } of historyRunner(runner, session, COMPACT)) {
      const results = await runner.generateToolResponse()
      if (results === null) break
      if ((steps += 1) === 7) {
        const cut = runner.params.messages.map((message) => (message === question ? message : { ...message }))
        runner.setMessagesParams((before) => ({ ...before, messages: [...cut, { role, content }, results] }))
        expect(JSON.stringify(runner.params.messages)).toContain('call_7')
      }
    }
    expect(runs).toBe(STEPS)
    expect(resultsIn(runner.params.messages)).toHaveLength(STEPS)
    expect(JSON.stringify(resultsIn(runner.params.messages)[0])).toContain('[Offloaded: ')
  })

  it('works with endTurns, in either order', async () => {
    for (const both of [
      (runner: Anthropic.Beta.Messages.BetaToolRunner<false>) =>
        endTurns(historyRunner(runner, session, COMPACT), session),
      (runner: Anthropic.Beta.Messages.BetaToolRunner<false>) =>
        historyRunner(endTurns(runner, session), session, COMPACT),
    ]) {
      client = newClient(STEPS)
      const ended = vi.spyOn(session, 'endTurn')
      const runner = client.beta.messages.toolRunner(params())
      await both(runner)
      expect(ended).toHaveBeenCalledTimes(STEPS + 1)
      expect(JSON.stringify(runner.params.messages)).toContain('[Offloaded: ')
      ended.mockRestore()
    }
  })

  it.each([[false], [true]])(
    'rejects in the same way as without historyRunner if the API fails, with stream: %s',
    async (stream) => {
      const failing = new Anthropic({
        apiKey: 'none',
        maxRetries: 0,
        fetch: async () => Response.json({ type: 'error', error: { message: 'Overloaded.' } }, { status: 529 }),
      })
      const runner = (): PromiseLike<unknown> & AsyncIterable<unknown> =>
        failing.beta.messages.toolRunner({ ...params(), stream } as never) as never
      const plain = await Promise.resolve(runner()).catch((error: unknown) => error)
      const kept = await Promise.resolve(historyRunner(runner(), session, COMPACT)).catch((error: unknown) => error)
      expect(plain).toBeInstanceOf(Anthropic.APIError)
      expect(String(kept)).toBe(String(plain))
    },
  )

  it('ends when max_iterations is reached', async () => {
    const runner = client.beta.messages.toolRunner({ ...params(), max_iterations: 3 })
    await historyRunner(runner, session, { ...COMPACT, maxTotalTokens: 100 })
    expect(sent).toHaveLength(3)
  })

  it('stops if the program stops', async () => {
    for await (const _ of historyRunner(client.beta.messages.toolRunner(params()), session, COMPACT)) break
    expect(sent).toHaveLength(1)
    expect(runs).toBe(0)
  })

  it('rejects invalid arguments', () => {
    const runner = client.beta.messages.toolRunner(params())
    const usage = /historyRunner\(runner, offloader, options\)/
    expect(() => historyRunner([] as never, session)).toThrow(usage)
    expect(() => historyRunner(undefined as never, session)).toThrow(usage)
    expect(() => historyRunner(runner, {} as never)).toThrow(usage)
    expect(() => historyRunner(runner, session, { limit: 1 } as never)).toThrow(/Unknown option "limit"/)
  })
})

describe.skipIf(!hasThreads)('historyRunner with a thread', () => {
  const threads = (): readonly (string | undefined)[] => sent.map(({ thread }) => thread?.type)

  it('starts a new thread only after each compaction', async () => {
    await historyRunner(client.beta.messages.toolRunner(params()), session, COMPACT)
    const passes = threads().lastIndexOf('create')
    expect(threads()[0]).toBe('create')
    expect(passes).toBeGreaterThan(0)
    for (const [index, { thread, messages }] of sent.entries())
      expect(thread?.type === 'create', `request ${index}`).toBe(messages.length !== 1 || index === 0)
    expect(threads().filter((type) => type === 'continue').length).toBeGreaterThan(STEPS / 2)
  })

  it('starts a new thread with the summary in its system prompt, and continues in it', async () => {
    const runner = client.beta.messages.toolRunner({ ...params(), system: 'Be brief.' })
    const done = Promise.allSettled([runner.done()])
    const { content } = await historyRunner(runner, session, COMPRESS)
    // As the README says, the runner rejects before it continues with another thread.
    expect(await done).toMatchObject([{ status: 'rejected' }])
    expect(content).toEqual([{ type: 'text', text: 'done' }])
    expect(runs).toBe(STEPS)
    const created = sent.filter(({ thread }) => thread?.type === 'create')
    const [first, ...others] = created.map(({ system }) => system?.includes(SNAPSHOT))
    expect(first).toBe(false)
    expect(others.length).toBeGreaterThan(0)
    expect(others).not.toContain(false)
    expect(sent).toHaveLength(STEPS + 1)
  })
})

/** Add the tool calls to the messages of a run over a thread, because only the program's messages were recorded. */
function wholeHistory(messages: readonly Message[]): Message[] {
  if (!hasThreads) return [...messages]
  return messages.flatMap((message): Message[] => {
    const [result] = resultsIn([message])
    if (result === undefined) return [message]
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id: result.tool_use_id, name: 'read', input: {} }] },
      message,
    ]
  })
}
