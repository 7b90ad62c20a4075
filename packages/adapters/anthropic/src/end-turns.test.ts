import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { fakeApi } from '../test/fake-api.ts'
import { endTurns } from './end-turns.ts'

/** The names of events, in order. */
let order: string[]
let offloader: ContextOffloader
let client: Anthropic

const look = betaTool({
  name: 'look',
  description: 'Look.',
  inputSchema: { type: 'object' },
  run: () => {
    order.push('tool')
    return 'seen'
  },
})
const params: Anthropic.Beta.Messages.BetaToolRunnerParams = {
  model: 'claude-opus-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Go.' }],
  tools: [look],
}

beforeEach(() => {
  order = []
  const storage = new InMemoryStorage()
  const endTurn = storage.endTurn.bind(storage)
  storage.endTurn = () => {
    order.push('turn')
    return endTurn()
  }
  offloader = new ContextOffloader({ storage })
  let calls = 0
  const fetch = fakeApi(() => {
    order.push('model')
    return (calls += 1) < 3 ? { toolCalls: [{ id: `call_${calls}`, name: 'look', input: {} }] } : { text: 'done' }
  })
  client = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
})

const WHOLE = ['model', 'turn', 'tool', 'model', 'turn', 'tool', 'model', 'turn']

describe('endTurns', () => {
  it('returns the runner, and ends a turn for each model call, before tools run', async () => {
    const runner = client.beta.messages.toolRunner({ ...params, stream: false })
    expect(endTurns(runner, offloader)).toBe(runner)
    const { content } = await runner
    expect(content).toEqual([{ type: 'text', text: 'done' }])
    expect(order).toEqual(WHOLE)
  })

  it.each([
    ['iterated', async (runner: AsyncIterable<unknown>) => void (await Array.fromAsync(runner))],
    [
      'run until it is done',
      async (runner: AsyncIterable<unknown>) =>
        void (await (runner as Anthropic.Beta.Messages.BetaToolRunner<false>).runUntilDone()),
    ],
  ])('ends a turn before tools run if the runner is %s', async (_name, use) => {
    await use(endTurns(client.beta.messages.toolRunner({ ...params, stream: false }), offloader))
    expect(order).toEqual(WHOLE)
  })

  it('ends turns of streamed replies', async () => {
    for await (const stream of endTurns(client.beta.messages.toolRunner({ ...params, stream: true }), offloader))
      await stream.finalMessage()
    expect(order.filter((what) => what === 'turn')).toHaveLength(3)
  })

  it('ends the runner if the caller stops its loop', async () => {
    const runner = endTurns(client.beta.messages.toolRunner({ ...params, stream: false }), offloader)
    for await (const { stop_reason: reason } of runner) if (reason === 'tool_use') break
    expect(order).toEqual(['model', 'turn'])
  })

  it('does not end a turn for a failed call, and fails in the same way as the runner', async () => {
    const failing = new Anthropic({
      apiKey: 'none',
      fetch: async () => new Response('', { status: 400 }),
      maxRetries: 0,
    })
    const runner = endTurns(failing.beta.messages.toolRunner({ ...params, stream: false }), offloader)
    await expect(runner.runUntilDone()).rejects.toThrow(Anthropic.BadRequestError)
    expect(order).toEqual([])
  })

  it('rejects invalid runners and offloaders', () => {
    const runner = client.beta.messages.toolRunner({ ...params, stream: false })
    expect(() => endTurns(runner, {} as ContextOffloader)).toThrow(/^offloader must be a ContextOffloader/)
    for (const none of [undefined, null, {}, [], offloader])
      expect(() => endTurns(none as never, offloader)).toThrow(/^runner must be a tool runner/)
  })
})
