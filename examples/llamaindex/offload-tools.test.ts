import { LLMAgent } from '@llamaindex/core/agent'
import type { BaseToolWithCall } from '@llamaindex/core/llms'
import { tool } from '@llamaindex/core/tools'
import { z } from '@llamaindex/core/zod'
import { agent, agentHandler, agentOutputEvent, createWorkflow, zodEvent } from '@llamaindex/workflow'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { offloadTools } from './offload-tools.ts'
import { resultsIn, ScriptedLlm } from './scripted-llm.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}: ${line === 4_321 ? 'FAILED' : 'done'}`).join('\n')
const ROWS = Array.from({ length: 2_000 }, (_, id) => ({ id, name: null }))

const newSession = (): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage() }).forScope('conversation-1')
const returning = (output: unknown): BaseToolWithCall => ({
  metadata: { name: 'read', description: 'Read.', parameters: {} },
  call: async () => output as string,
})
const referenceIn = (shown: unknown): string =>
  /read_0_\w{20}/.exec(JSON.stringify(shown))?.[0] ?? expect.fail('There is none.')
const wrap = (one: BaseToolWithCall, session = newSession()): BaseToolWithCall => {
  const [wrapped] = offloadTools([one], session)
  return wrapped ?? expect.fail('There is no tool.')
}

describe('offloadTools', () => {
  it.each(['small "text"\n', { a: 1 }, ['x'], 7, '', null, undefined])('returns %j unchanged', async (output) => {
    expect(await wrap(returning(output)).call({})).toBe(output)
  })

  it.each([LOG, ROWS, { content: [{ type: 'text', text: LOG }] }])(
    'returns a preview of a large value',
    async (output) => {
      const shown = await wrap(returning(output)).call({})
      expect(shown).toMatch(/^\[Offloaded: 1 block/)
      expect(estimateTokens(JSON.stringify(shown))).toBeLessThan(1_500)
    },
  )

  it('has the same reference for equal content, and another for other content', async () => {
    const session = newSession()
    const [first, second, third] = await Promise.all(
      [LOG, LOG, `${LOG}!`].map(async (output) => wrap(returning(output), session).call({})),
    )
    expect(second).toBe(first)
    expect(referenceIn(third)).not.toBe(referenceIn(first))
  })

  it('throws an error of the same class with a preview as its message', async () => {
    const error = new RangeError(LOG)
    const failing = tool(async (): Promise<string> => Promise.reject(error), {
      name: 'read',
      description: 'Read.',
      parameters: {},
    })
    const thrown = await Promise.resolve(wrap(failing).call({})).catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(RangeError)
    expect(thrown).toMatchObject({ message: expect.stringMatching(/^\[Offloaded/), cause: error })
  })

  it('passes on the arguments, and keeps the metadata', async () => {
    const one = tool(async (input: unknown) => JSON.stringify(input), { name: 'n', description: 'N.', parameters: {} })
    const wrapped = wrap(one)
    expect(wrapped.metadata).toBe(one.metadata)
    expect(await wrapped.call({ n: 5 })).toBe('{"n":5}')
  })

  it.each<[string, (llm: ScriptedLlm, tools: BaseToolWithCall[]) => Promise<unknown>]>([
    ['agent', async (llm, tools) => agent({ llm, tools }).run('Go.')],
    ['LLMAgent', async (llm, tools) => new LLMAgent({ llm, tools }).chat({ message: 'Go.' })],
    ['agentHandler', runStep],
  ])('works if LlamaIndex creates the agent: %s', async (name, run) => {
    let results: string[] = []
    const llm = new ScriptedLlm((messages) => {
      results = resultsIn(messages)
      const [reference = ''] = /read_0_\w{20}/.exec(results[0] ?? '') ?? []
      const input = { reference, pattern: 'FAILED', context_lines: 0 }
      if (results.length === 0) return [{ id: 'call_1', name: 'read', input: {} }]
      if (results.length === 1) return [{ id: 'call_2', name: 'retrieve_offloaded_content', input }]
      return name === 'agentHandler' && results.length === 2
        ? [{ id: 'call_3', name: 'send_found', input: { eventData: { line: 4_322 } } }]
        : 'Done.'
    })
    await run(llm, offloadTools([returning(LOG)], newSession()))
    expect(results.slice(0, 2)).toEqual([
      expect.stringMatching(/^\[Offloaded: 1 block/),
      // LlamaIndex writes a text as JSON without quotes.
      expect.stringContaining(String.raw`content\n> 4322| line 4321: FAILED\n>>>`),
    ])
  })

  it('notifies the program of each model call, so that the program can end turns', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: 1 })
    const session = new ContextOffloader({ storage }).forScope('conversation-1')
    let calls = 0
    const llm = new ScriptedLlm(() => {
      calls += 1
      return calls < 4 ? [{ id: `call_${calls}`, name: calls === 1 ? 'read' : 'wait', input: {} }] : 'Done.'
    })
    const wait = tool(async () => 'ok', { name: 'wait', description: 'Wait.', parameters: {} })
    const evicted: unknown[] = []
    for await (const event of agent({ llm, tools: offloadTools([returning(LOG), wait], session) }).runStream('Go.'))
      if (agentOutputEvent.include(event)) evicted.push((await session.endTurn()).evicted.length)
    expect(evicted.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(1)
    expect(evicted).toHaveLength(4)
  })
})

/** Run a workflow with one step, which an agent handles. */
async function runStep(llm: ScriptedLlm, tools: BaseToolWithCall[]): Promise<unknown> {
  // The types require schemas of Zod 3, but agents accept only schemas of Zod 4.
  const eventOf = (schema: object, debugLabel: string) =>
    zodEvent(schema as Parameters<typeof zodEvent>[0], { debugLabel })
  const asked = eventOf(z.object({ what: z.string() }), 'asked')
  const found = eventOf(z.object({ line: z.number() }), 'found')
  const workflow = createWorkflow()
  workflow.handle([asked], agentHandler({ instructions: 'Find it.', results: [found], llm, tools }))
  const { stream, sendEvent } = workflow.createContext()
  sendEvent(asked.with({ what: 'FAILED' }))
  return await stream.until(found).toArray()
}
