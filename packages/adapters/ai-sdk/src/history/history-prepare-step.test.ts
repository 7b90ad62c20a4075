import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { aiSdkMessages, compactorOfRun, HistoryCompactor } from '@spillway/history'
import { InMemoryStorage } from '@spillway/memory'
import { generateText, type ModelMessage, type SystemModelMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { fakeModel } from '../../test/fake-model.ts'
import { toolSetOf } from '../../test/case-tool-set.ts'
import { offloadPrepareStep } from '../offload-prepare-step.ts'
import { offloadTools } from '../offload-tools.ts'
import {
  historyPrepareStep,
  joinPrompt,
  splitPrompt,
  type HistoryStep,
  type HistoryStepOptions,
  type SystemPrompt,
} from './history-prepare-step.ts'

const LOG = 'a line of the log, and another word\n'.repeat(200)
const NOTE = 'a note of the agent\n'.repeat(20)
const SNAPSHOT = '<overall_goal>Find it.</overall_goal><key_knowledge>It is not in the log.</key_knowledge>'
const LIMITS = { maxTotalTokens: 3_000, maxToolMessageTokens: 500 }
const summarize = async (): Promise<string> => `<state_snapshot>${SNAPSHOT}</state_snapshot>`

const newSession = (): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')

/** A conversation in which a tool has returned `text` in each of `steps` steps. */
function historyOf(steps: number, text: string): ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Find it.' }]
  for (let step = 1; step <= steps; step += 1) {
    const call = { toolCallId: `call_${step}`, toolName: 'read' }
    const output = { type: 'text' as const, value: text }
    messages.push({ role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] })
    messages.push({ role: 'tool', content: [{ type: 'tool-result', ...call, output }] })
  }
  return messages
}

const LARGE = historyOf(4, LOG)
const MANY = historyOf(60, NOTE)
const compressing: HistoryStepOptions = { ...LIMITS, summarize }

describe('historyPrepareStep', () => {
  it('returns nothing if the messages are within the limit', async () => {
    expect(await historyPrepareStep(newSession(), LIMITS)({ messages: historyOf(1, LOG) })).toBeUndefined()
  })

  it('has the default limits of core', async () => {
    expect(await historyPrepareStep(newSession())({ messages: historyOf(8, LOG) })).toBeUndefined()
    expect(await historyPrepareStep(newSession())({ messages: historyOf(40, LOG.repeat(2)) })).toBeDefined()
  })

  it('returns only messages if older results became references', async () => {
    const result = await historyPrepareStep(newSession(), LIMITS)({ messages: LARGE, instructions: 'Be brief.' })
    expect(Object.keys(result ?? {})).toEqual(['messages'])
    expect(JSON.stringify(result?.messages?.[2])).toContain('[Offloaded: ')
    expect(result?.messages?.at(-1)).toBe(LARGE.at(-1))
  })

  it('puts the summary at the end of the instructions in version 7', async () => {
    const step = historyPrepareStep(newSession(), compressing)
    const result = await step({ messages: MANY, instructions: 'Be brief.' })
    expect(result?.instructions).toMatch(/^Be brief\.\n\n[^]*<state_snapshot>/)
    expect(result?.messages?.[0]).toBe(MANY[0])
    const without = await historyPrepareStep(newSession(), compressing)({ messages: MANY, instructions: undefined })
    expect(without?.instructions).toMatch(/<state_snapshot>/)
  })

  it('adds a system message for the summary if version 6 passes no system prompt', async () => {
    const result = await historyPrepareStep(newSession(), compressing)({ messages: MANY })
    expect(result).toEqual({ messages: expect.any(Array) })
    expect(result?.messages?.[0]).toMatchObject({ role: 'system', content: expect.stringContaining(SNAPSHOT) })
    expect(result?.messages?.[1]).toBe(MANY[0])
  })

  it('returns the same messages if the loop passes them on', async () => {
    const asked = vi.fn<typeof summarize>(summarize)
    const step = historyPrepareStep(newSession(), { ...LIMITS, summarize: asked })
    const first = await step({ messages: MANY, instructions: 'Be brief.' })
    const carried: HistoryStep = { messages: first!.messages!, instructions: first!.instructions }
    expect(await step(carried)).toBeUndefined()
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('repeats its outcome without another summary if the loop passes the whole history again', async () => {
    const asked = vi.fn<typeof summarize>(summarize)
    const step = historyPrepareStep(newSession(), { ...LIMITS, summarize: asked })
    const first = await step({ messages: MANY })
    expect(await step({ messages: [...MANY] })).toEqual(first)
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('does not request another summary if the program sets a cache mark on the newest messages', async () => {
    const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } }
    const marking = ({ messages }: HistoryStep): { messages: ModelMessage[] } => ({
      messages: messages.map((message, index) =>
        index < messages.length - 4 ? message : { ...message, providerOptions: mark },
      ),
    })
    const ask = async (own: (step: HistoryStep) => object): Promise<readonly [asked: number, marks: number]> => {
      const asked = vi.fn<typeof summarize>(summarize)
      const step = historyPrepareStep(newSession(), { ...LIMITS, summarize: asked }, own)
      let marks = 0
      for (let length = 1; length <= MANY.length; length += 2) {
        const result = await step({ messages: MANY.slice(0, length) })
        marks = Math.max(marks, JSON.stringify(result?.messages ?? []).split('cacheControl').length - 1)
      }
      return [asked.mock.calls.length, marks]
    }
    const [plain] = await ask(() => ({}))
    expect(plain).toBeGreaterThan(1)
    expect(await ask(marking)).toEqual([plain, 4])
  })

  it("calls the program's function first, and compacts its result", async () => {
    const own = vi.fn<(step: HistoryStep & { readonly stepNumber: number }) => object>(({ messages }) => ({
      toolChoice: 'none',
      system: 'Be kind.',
      messages: messages.slice(2),
    }))
    const step = historyPrepareStep(newSession(), compressing, own)
    const given = { messages: historyOf(61, NOTE), stepNumber: 3 }
    const result = await step(given)
    expect(own).toHaveBeenCalledWith(given)
    expect(result).toMatchObject({
      toolChoice: 'none',
      system: expect.stringMatching(/^Be kind\.[^]*<state_snapshot>/),
    })
    expect(JSON.stringify(result)).not.toContain('"call_1"')
  })

  it.each([[undefined], [null]])("uses %s from the program's function", async (returned) => {
    const step = historyPrepareStep(newSession(), LIMITS, (_step: HistoryStep) => returned)
    expect(await step({ messages: historyOf(1, LOG) })).toBeUndefined()
    expect(await step({ messages: LARGE })).toEqual({ messages: expect.any(Array) })
  })

  it("returns the result of the program's function if messages are within the limit, and rejects if the function rejects", async () => {
    const own = { toolChoice: 'required' as const }
    const step = historyPrepareStep(newSession(), LIMITS, () => own)
    expect(await step({ messages: historyOf(1, LOG) } as never)).toBe(own)
    const failing = historyPrepareStep(newSession(), LIMITS, () => Promise.reject(new RangeError('No.')))
    await expect(failing({ messages: LARGE } as never)).rejects.toThrow(RangeError)
  })

  it('passes the signal to the summary; if the signal aborts, the run continues', async () => {
    const controller = new AbortController()
    let given: AbortSignal | undefined
    const hanging = ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
      given = signal
      setImmediate(() => controller.abort())
      return new Promise(() => {})
    }
    const options = { ...LIMITS, summarize: hanging, abortSignal: controller.signal }
    expect(await historyPrepareStep(newSession(), options)({ messages: MANY })).toBeUndefined()
    expect(given?.aborted).toBe(true)
  })

  it('shares a compactor among the requests of a session', async () => {
    const asked = vi.fn<typeof summarize>(summarize)
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const options = { ...LIMITS, summarize: asked, format: aiSdkMessages<ModelMessage>() }
    const compactorOf = compactorOfRun(offloader, (session: string) => [session], options)
    const first = await historyPrepareStep(compactorOf('session-1'))({ messages: MANY })
    expect(await historyPrepareStep(compactorOf('session-1'))({ messages: [...MANY] })).toEqual(first)
    expect(asked).toHaveBeenCalledTimes(1)
    await historyPrepareStep(compactorOf('session-2'))({ messages: MANY })
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('rejects invalid arguments', () => {
    const session = newSession()
    const compactor = new HistoryCompactor({ offloader: session, format: aiSdkMessages<ModelMessage>() })
    expect(() => historyPrepareStep({} as never)).toThrow(/historyPrepareStep\(offloader, options, prepareStep\)/)
    expect(() => historyPrepareStep(session, { limit: 1 } as never)).toThrow(/Unknown option "limit"/)
    expect(() => historyPrepareStep(session, { maxTotalTokens: 0 })).toThrow(/maxTotalTokens/)
    expect(() => historyPrepareStep(compactor, { maxTotalTokens: 1 })).toThrow(/history's options to the compactor/)
    expect(() => historyPrepareStep(session, {}, 'step' as never)).toThrow(/prepareStep must be a function/)
  })

  it('works with offloadPrepareStep in either order, and its references can be retrieved', async () => {
    const orders = [
      (session: ContextOffloader) => offloadPrepareStep(session, historyPrepareStep(session, LIMITS)),
      (session: ContextOffloader) => historyPrepareStep(session, LIMITS, offloadPrepareStep(session)),
    ]
    for (const order of orders) {
      const session = newSession()
      let answer: string | undefined
      const model = fakeModel(({ results }) => {
        const calls = results.length
        const shown = JSON.stringify(results[0]?.content)
        const reference = /(call_1_0_[a-z2-7]{20})/.exec(shown)?.[1]
        if (calls < 5) return { toolCalls: [{ id: `call_${calls + 1}`, name: 'read', input: {} }] }
        const input = { reference, pattern: 'another word', context_lines: 0 }
        if (calls === 5) return { toolCalls: [{ id: 'retrieval', name: RETRIEVAL_TOOL_NAME, input }] }
        answer = JSON.stringify(results.at(-1)?.content)
        return { text: 'done' }
      })
      const content = [{ type: 'text' as const, text: LOG }]
      const tools = toolSetOf([{ name: 'read', call: () => ({ type: 'returns', content }) }], [])
      const settings = { model, tools: offloadTools(tools, session), prepareStep: order(session) }
      const stopWhen = ({ steps }: { steps: readonly unknown[] }): boolean => steps.length > 9
      await generateText({ ...settings, stopWhen, prompt: 'Find it.' })
      expect(answer).toContain('[200 matches]')
    }
  })
})

describe('stepPrompt', () => {
  const user: ModelMessage = { role: 'user', content: 'Go.' }
  const assistant: ModelMessage = { role: 'assistant', content: 'Done.' }
  const brief: SystemModelMessage = { role: 'system', content: 'Be brief.' }
  const cached: SystemModelMessage = { ...brief, providerOptions: { fake: { cached: true } } }

  /** Remove all messages except the last, and append text to the last system message, as a summary does. */
  function summarised(messages: readonly ModelMessage[]): ModelMessage[] {
    const systems = messages.filter((message) => message.role === 'system')
    const last = systems.at(-1)
    const made: SystemModelMessage =
      last === undefined ? { role: 'system', content: 'S' } : { ...last, content: `${last.content} S` }
    return [...systems.slice(0, -1), made, messages.at(-1)!]
  }

  describe('joinPrompt and splitPrompt', () => {
    it.each<[string, SystemPrompt | undefined, SystemPrompt]>([
      ['a text', 'Be brief.', 'Be brief. S'],
      ['an empty text', '', ' S'],
      ['a message', cached, { ...cached, content: 'Be brief. S' }],
      ['several messages', [brief, cached], [brief, { ...cached, content: 'Be brief. S' }]],
      ['an empty list', [], [{ role: 'system', content: 'S' }]],
      ['nothing', undefined, 'S'],
    ])('keep the form of a system prompt that is %s', (_what, prompt, expected) => {
      const before = joinPrompt(prompt, [user, assistant])
      expect(splitPrompt(prompt, before, summarised(before))).toEqual({ prompt: expected, messages: [assistant] })
    })

    it.each<[string, SystemPrompt | undefined]>([
      ['a text', 'Be brief.'],
      ['a message', cached],
      ['several messages', [brief, cached]],
      ['nothing', undefined],
    ])('return the same object for an unchanged system prompt that is %s', (_what, prompt) => {
      const before = joinPrompt(prompt, [user, assistant])
      const split = splitPrompt(prompt, before, before.toSpliced(-2, 1))
      expect(split.prompt).toBe(prompt)
      expect(split.messages).toEqual([assistant])
    })

    it('keep system messages of the conversation in place', () => {
      const before = joinPrompt(undefined, [brief, user, assistant])
      const split = splitPrompt(undefined, before, summarised(before))
      expect(split).toEqual({ prompt: undefined, messages: [{ role: 'system', content: 'Be brief. S' }, assistant] })
    })
  })
})
