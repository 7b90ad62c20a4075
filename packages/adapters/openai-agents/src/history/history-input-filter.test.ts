import {
  Agent,
  MemorySession,
  Runner,
  RunState,
  type AgentInputItem,
  type CallModelInputFilter,
  type ModelInputData,
} from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { describe, expect, it, vi } from 'vitest'
import { calling, callItems, lastText, LOG, makeAgent, makeTool, newOffloader, OFFLOADED } from '../../test/ask.ts'
import { offloadRunner } from '../offload-runner.ts'
import { offloadTools } from '../offload-tools.ts'
import { retrievalTool } from '../retrieval-tool.ts'
import { historyInputFilter, joinPrompt, splitPrompt, type HistoryFilterOptions } from './history-input-filter.ts'

/** About 600 tokens, which is within the offloader's limit. */
const PART = 'a line of the part, and another word\n'.repeat(60)
const SNAPSHOT = '<overall_goal>Find it.</overall_goal><key_knowledge>It is not there.</key_knowledge>'
const summarize = async (): Promise<string> => `<state_snapshot>${SNAPSHOT}</state_snapshot>`
const COMPACT: HistoryFilterOptions = { mode: 'compact', maxTotalTokens: 3_000, maxToolMessageTokens: 300 }
const COMPRESS: HistoryFilterOptions = { maxTotalTokens: 3_000, maxToolMessageTokens: 2_000, summarize }

const reader = makeTool('read', () => PART)
const reading = (steps: number): ReturnType<typeof calling>[] =>
  Array.from({ length: steps }, (_, step) => calling('read', `call_${step + 1}`))

/** Make a runner that keeps histories small. */
function runnerOf(
  offloader: ContextOffloader,
  options: HistoryFilterOptions,
  own?: CallModelInputFilter,
): Pick<Runner, 'run'> {
  return offloadRunner(new Runner({ callModelInputFilter: historyInputFilter(offloader, options, own) }), offloader)
}

const user = (content: string): AgentInputItem => ({ role: 'user', content })

describe('historyInputFilter', () => {
  it.each([
    ['references', COMPACT],
    ['a summary', COMPRESS],
  ])('leaves a session unchanged if the model sees %s', async (_what, options) => {
    const before = [user('First.'), ...callItems('read', 'call_0', { type: 'text', text: PART })]
    const stored = async (history: boolean): Promise<unknown> => {
      const { offloader } = newOffloader()
      const { agent, prompts } = makeAgent(reading(12), { tools: offloadTools([reader], offloader) })
      const runner = history ? runnerOf(offloader, options) : offloadRunner(new Runner(), offloader)
      const session = new MemorySession({ sessionId: 'session-1', initialItems: structuredClone(before) })
      await runner.run(agent, 'Find it.', { session, maxTurns: 20 })
      const shown = JSON.stringify(prompts.at(-1)) + prompts.at(-1)?.system
      expect(shown.includes(OFFLOADED) || shown.includes(SNAPSHOT)).toBe(history)
      return session.getItems()
    }
    const plain = await stored(false)
    expect(JSON.stringify(plain)).toContain('Find it.')
    expect(await stored(true)).toEqual(plain)
  })

  it('keeps every new message of a run in the session, even if the model sees summaries and references', async () => {
    const { offloader } = newOffloader()
    const note = makeTool('note', () => PART.slice(0, 500))
    const notes = Array.from({ length: 24 }, (_, step) => calling('note', `note_${step}`))
    const { agent, prompts } = makeAgent([...notes, ...reading(12)], { tools: offloadTools([reader, note], offloader) })
    const session = new MemorySession({ sessionId: 'session-1' })
    const input = [user('The first word.'), user('The second word.')]
    const sessionInputCallback = (old: AgentInputItem[], added: AgentInputItem[]): AgentInputItem[] => [
      ...old,
      ...added,
    ]
    const options = { ...COMPRESS, maxToolMessageTokens: 300 }
    await runnerOf(offloader, options).run(agent, input, { session, sessionInputCallback, maxTurns: 40 })
    const shown = prompts.map(({ messages, system }) => [
      messages.includes('The first'),
      messages.includes(OFFLOADED),
      system?.includes(SNAPSHOT),
    ])
    expect(shown).toContainEqual([false, true, true])
    const [first, second] = await session.getItems()
    expect([first, second]).toMatchObject([{ content: 'The first word.' }, { content: 'The second word.' }])
  })

  it('lets a session store the preview of a message that exceeds the limit by itself', async () => {
    const { offloader } = newOffloader()
    const { agent } = makeAgent(reading(4), { tools: offloadTools([reader], offloader) })
    const session = new MemorySession({ sessionId: 'session-1' })
    await runnerOf(offloader, COMPRESS).run(agent, PART.repeat(20), { session })
    const text = JSON.stringify((await session.getItems())[0])
    const [reference = ''] = /\w+_[a-z2-7]{20}/.exec(text) ?? []
    const answer = await offloader.forScope('session-1').retrievalTool.execute({ reference, pattern: 'another word' })
    expect(answer.content).toMatchObject([{ text: expect.stringContaining('[1,200 matches') }])
  })

  it('counts replacements of large results', async () => {
    const { offloader } = newOffloader()
    const tools = [makeTool('read', () => LOG), retrievalTool(offloader)]
    const { agent, prompts } = makeAgent(reading(2), { tools })
    await runnerOf(offloader, { ...COMPACT, maxTotalTokens: 6_000 }).run(agent, 'Find it.')
    expect(prompts).toHaveLength(3)
    for (const { results } of prompts)
      for (const { content } of results) {
        const text = content[0]?.type === 'text' ? content[0].text : ''
        expect(text).toContain(OFFLOADED)
        expect(text).not.toContain('was moved to storage to shorten the history')
      }
  })

  it("calls the program's filter first", async () => {
    const { offloader } = newOffloader()
    const own = vi.fn<CallModelInputFilter>(({ modelData }) => ({
      input: modelData.input.slice(0, 1).concat(modelData.input.slice(-2)),
      instructions: 'Be kind.',
    }))
    const { agent, prompts } = makeAgent(reading(9), { tools: offloadTools([reader], offloader) })
    await runnerOf(offloader, COMPACT, own).run(agent, 'Find it.')
    expect(own).toHaveBeenCalledTimes(10)
    expect(JSON.stringify(prompts)).not.toContain(OFFLOADED)
    expect(prompts.at(-1)).toMatchObject({ system: 'Be kind.' })
    expect(prompts.at(-1)?.results).toHaveLength(1)
  })

  it('remembers a session between runs, and distinguishes sessions', async () => {
    const { offloader } = newOffloader()
    const asked = vi.fn<typeof summarize>(summarize)
    const runner = runnerOf(offloader, { ...COMPRESS, summarize: asked })
    const runIn = async (session: MemorySession, steps: number): Promise<string | undefined> => {
      const { agent, prompts } = makeAgent(reading(steps), { tools: offloadTools([reader], offloader) })
      await runner.run(agent, 'Find it.', { session, maxTurns: 20 })
      return prompts.at(-1)?.system
    }
    const [first, second] = ['a', 'b'].map((sessionId) => new MemorySession({ sessionId }))
    expect(await runIn(first!, 7)).toContain(SNAPSHOT)
    expect(asked).toHaveBeenCalledTimes(1)
    expect(await runIn(first!, 0)).toContain(SNAPSHOT)
    expect(asked).toHaveBeenCalledTimes(1)
    expect(await runIn(second!, 0)).toBe('')
    expect(await runIn(second!, 7)).toContain(SNAPSHOT)
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('continues from a saved state after an approval', async () => {
    const { offloader } = newOffloader()
    const dangerous = makeTool('remove', () => PART, { needsApproval: true })
    const turns = [...reading(8), calling('remove', 'call_9'), calling('read', 'call_10')]
    const { agent, prompts } = makeAgent(turns, { tools: offloadTools([reader, dangerous], offloader) })
    const runner = runnerOf(offloader, COMPACT)
    const session = new MemorySession({ sessionId: 'session-1' })
    const { state } = await runner.run(agent, 'Find it.', { session, maxTurns: 20 })
    const shown = prompts.at(-1)!
    const saved = await RunState.fromString(agent, state.toString())
    for (const interruption of saved.getInterruptions()) saved.approve(interruption)
    await runner.run(agent, saved, { session, maxTurns: 20 })
    expect(prompts[9]?.results.slice(0, shown.results.length)).toEqual(shown.results)
    expect(prompts.at(-1)?.results).toHaveLength(10)
    expect(JSON.stringify(await session.getItems())).not.toContain(OFFLOADED)
  })

  it('works without offloadRunner, in the scope that the context names', async () => {
    const { offloader } = newOffloader()
    const scope = ({ context }: { readonly context: unknown }): string[] => [
      (context as { readonly user: string }).user,
    ]
    const callModelInputFilter = historyInputFilter(offloader, { ...COMPACT, scope })
    const { agent, prompts } = makeAgent(reading(9), { tools: [reader, retrievalTool(offloader, { scope })] })
    await new Runner({ callModelInputFilter }).run(agent, 'Find it.', { context: { user: 'user-1' } })
    const shown = JSON.stringify(prompts.at(-1)?.results[0]?.content)
    const [reference = ''] = /call_1_0_[a-z2-7]{20}/.exec(shown) ?? []
    expect((await offloader.forScope('user-1').retrievalTool.execute({ reference })).isError).toBe(false)
    expect((await offloader.forScope('user-2').retrievalTool.execute({ reference })).isError).toBe(true)
    expect(lastText(prompts)).toBe(PART)
  })

  it("passes on the result of the program's filter, even without input", async () => {
    const { offloader } = newOffloader()
    const own = (() => ({ instructions: 'None.' })) as unknown as CallModelInputFilter
    const { agent } = makeAgent([])
    for (const runner of [
      runnerOf(offloader, COMPACT, own),
      new Runner({ callModelInputFilter: historyInputFilter(offloader, COMPACT, own) }),
    ])
      await expect(runner.run(agent, 'Find it.')).rejects.toThrow(/callModelInputFilter must return/)
  })

  it('returns the same data if it is within the limit', async () => {
    const filter = historyInputFilter(newOffloader().offloader, COMPACT)
    const modelData: ModelInputData = { input: [user('Go.')], instructions: 'Be brief.' }
    expect(await filter({ modelData, agent: new Agent({ name: 'Agent' }), context: {} })).toBe(modelData)
  })

  it('rejects invalid arguments', () => {
    const { offloader } = newOffloader()
    expect(() => historyInputFilter({} as never)).toThrow(/historyInputFilter\(offloader, options, filter\)/)
    expect(() => historyInputFilter(offloader, { limit: 1 } as never)).toThrow(/Unknown option "limit"/)
    expect(() => historyInputFilter(offloader, { scope: 'a' } as never)).toThrow(/scope must be a function/)
    expect(() => historyInputFilter(offloader, {}, 'filter' as never)).toThrow(/filter must be a function/)
  })
})

describe('modelPrompt', () => {
  type Item = AgentInputItem

  const user = (content: string): Item => ({ role: 'user', content })
  const system = (content: string): Item => ({ role: 'system', content })
  const call = (callId: string): Item => ({
    type: 'function_call',
    callId,
    name: 'read',
    arguments: '{}',
    status: 'completed',
  })
  const result = (callId: string, text: string): Item =>
    ({
      type: 'function_call_result',
      callId,
      name: 'read',
      status: 'completed',
      output: { type: 'text', text },
    }) as Item

  const none: ReadonlySet<Item> = new Set()

  describe('joinPrompt', () => {
    it('puts the instructions after the first system messages of the input', () => {
      expect(joinPrompt({ input: [user('Go.')], instructions: 'Be brief.' })).toEqual([
        system('Be brief.'),
        user('Go.'),
      ])
      const input = [system('One.'), user('Go.'), system('Two.')]
      expect(joinPrompt({ input })).toEqual([system('One.'), system(''), user('Go.'), system('Two.')])
    })

    it('copies items, because the given items may be changed', () => {
      const item = user('Go.')
      const [, copy] = joinPrompt({ input: [item] })
      expect(copy).toEqual(item)
      expect(copy).not.toBe(item)
    })
  })

  describe('splitPrompt', () => {
    const input = (): Item[] => [
      user('One.'),
      call('a'),
      result('a', 'long'),
      user('Two.'),
      call('b'),
      result('b', 'long'),
    ]

    it('separates the instructions from the input again', () => {
      const data: ModelInputData = { input: [user('Go.')], instructions: 'Be brief.' }
      const smaller = [system('Be brief. Summary.'), user('Go.')]
      expect(splitPrompt(data, smaller, none)).toEqual({ input: [user('Go.')], instructions: 'Be brief. Summary.' })
    })

    it('adds missing instructions only if there is a summary', () => {
      const data: ModelInputData = { input: [user('Go.')] }
      expect(splitPrompt(data, [system(''), user('Go.')], none)).toEqual({ input: [user('Go.')] })
      const summary = splitPrompt(data, [system('Summary.'), user('Go.')], none)
      expect(summary).toEqual({ input: [user('Go.')], instructions: 'Summary.' })
    })

    it('changes the given items if that is allowed, and returns them', () => {
      const data = { input: input() }
      const [one, , first] = data.input
      const smaller = joinPrompt(data).with(3, result('a', 'short'))
      const { input: items } = splitPrompt(data, smaller, new Set([first!]))
      expect(items[2]).toBe(first)
      expect(first).toEqual(result('a', 'short'))
      expect(items[0]).toEqual(one)
      expect(items[0]).not.toBe(one)
    })

    it('recognizes items that remain after others were removed', () => {
      const data = { input: input() }
      const [, , , two, b, resultOfB] = data.input
      const smaller = joinPrompt(data).toSpliced(1, 3)
      const { input: items } = splitPrompt(data, smaller, new Set(data.input))
      expect(items).toHaveLength(3)
      for (const [index, item] of [two, b, resultOfB].entries()) expect(items[index]).toBe(item)
    })

    it('leaves new items unchanged', () => {
      const data = { input: [user('Go.')] }
      const made = call('made')
      const { input: items } = splitPrompt(data, [system(''), made, user('Go.')], new Set(data.input))
      expect(items[0]).toBe(made)
      expect(items[1]).toBe(data.input[0])
    })
  })
})
