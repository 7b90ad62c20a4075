import { estimateTokens, type OffloadEvent, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { Agent, Message } from '@strands-agents/sdk'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { FakeModel } from '../test/fake-model.ts'
import {
  agentWith,
  LOG,
  readLog,
  referenceIn,
  resultsOf,
  retrieving,
  scriptedModel,
  textOf,
} from '../test/scripted-agent.ts'
import { isVersion10 } from '../test/version.ts'
import { ContextOffloader, type ContextOffloaderConfig } from './context-offloader.ts'

/** A storage with only `store` and `retrieve`, as Strands' own plugin uses it. */
function twoMethods(): Storage {
  const entries = new Map<string, { content: Uint8Array; contentType: string }>()
  return {
    async store(key, content, contentType = 'text/plain') {
      entries.set(`mem_${entries.size + 1}_${key}`, { content, contentType })
      return `mem_${entries.size}_${key}`
    },
    async retrieve(reference) {
      const entry = entries.get(reference)
      if (entry === undefined) throw new Error(`Reference not found: ${reference}`)
      return entry
    },
  }
}

async function run(agent: Agent): Promise<string[]> {
  await agent.invoke('Go.')
  return resultsOf(agent).map(textOf)
}

const searchFailed = retrieving({ pattern: 'FAILED', context_lines: 0 })

describe('options', () => {
  it('are the options of the offloader, with its defaults', () => {
    const { offloader, name } = new ContextOffloader({ storage: new InMemoryStorage(), maxRetrievalTokens: 9_000 })
    expect(offloader.options).toMatchObject({ maxResultTokens: 2_500, previewTokens: 1_000, maxRetrievalTokens: 9_000 })
    expect(name).toBe('spillway:context-offloader')
  })

  it('may be undefined', () => {
    const none = { maxResultTokens: undefined, countTokens: undefined, evictAfterCycles: undefined, scope: undefined }
    expect(() => new ContextOffloader({ storage: new InMemoryStorage(), ...none })).not.toThrow()
  })

  const memory = { storage: new InMemoryStorage() }
  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /^ContextOffloader needs options with { storage }/],
    ['no storage', {}, /such as { storage: new InMemoryStorage\(\) }/],
    [
      'a storage of new Agent({ storage })',
      { storage: { read: 1, write: 1 } },
      /^storage must have .*store\(\) is miss/,
    ],
    ['a storage in place of the options', memory.storage, /^ContextOffloader needs options with { storage }/],
    ['a limit of 0', { ...memory, maxResultTokens: 0 }, /^maxResultTokens must be positive/],
    ['a limit that is not a number', { ...memory, maxResultTokens: Number.NaN }, /^maxResultTokens must be positive/],
    ['a negative preview', { ...memory, previewTokens: -1 }, /^previewTokens must be non-negative/],
    [
      'a preview as long as the limit',
      { ...memory, previewTokens: 2_500 },
      /^previewTokens must be less than maxResult/,
    ],
    [
      'a preview longer than the limit',
      { ...memory, maxResultTokens: 9, previewTokens: 10 },
      /^previewTokens must be less than max/,
    ],
    ['0 cycles', { ...memory, evictAfterCycles: 0 }, /^evictAfterCycles must be a positive integer/],
    ['1.5 cycles', { ...memory, evictAfterCycles: 1.5 }, /^evictAfterCycles must be a positive integer/],
    [
      'cycles with a storage of another package',
      { storage: twoMethods(), evictAfterCycles: 5 },
      /^evictAfterCycles needs a storage/,
    ],
    [
      'cycles with the scope of a storage',
      { storage: memory.storage.scope('a'), evictAfterCycles: 5 },
      /^evictAfterCycles needs a sto/,
    ],
    [
      'neither the retrieval tool nor a storage that can locate content',
      { ...memory, includeRetrievalTool: false },
      /nothing could reach this storage/,
    ],
    ['a counter that is not a function', { ...memory, countTokens: 4 }, /^countTokens must be a function/],
    ['an unknown option', { ...memory, evictAfterTurns: 20 }, /^Unknown option "evictAfterTurns"/],
    ['a scope that is not a function', { ...memory, scope: 'tenant' }, /^scope must be a function that gets the run/],
  ])('refuse %s', (_what, config, message) => {
    expect(() => new ContextOffloader(config as ContextOffloaderConfig)).toThrow(TypeError)
    expect(() => new ContextOffloader(config as ContextOffloaderConfig)).toThrow(message)
  })
})

describe('evictAfterCycles', () => {
  /** Run an agent that reads the log, makes the given number of idle model calls, and then searches the log. */
  async function searchAfter(cycles: number, config: ContextOffloaderConfig): Promise<string> {
    const events: OffloadEvent[] = []
    const plugins = [new ContextOffloader({ ...config, onEvent: (event) => void events.push(event) })]
    const agent = agentWith({ model: scriptedModel('read_log'), tools: [readLog], plugins })
    const [result = ''] = await run(agent)
    agent.model = scriptedModel()
    // The first run had one model call after the tool.
    for (let cycle = 1; cycle < cycles; cycle += 1) await agent.invoke('Wait.')
    agent.model = scriptedModel(retrieving({ pattern: 'FAILED' }, referenceIn(result)))
    return (await run(agent))[1] ?? ''
  }

  it.each<[string, number | null | undefined, number | null, number, boolean]>([
    ['replaces the setting of the storage', 3, 20, 3, false],
    ['keeps content that was used recently', 3, 20, 2, true],
    ['may be longer than the setting of the storage', 20, 1, 6, true],
    ['is off with null', null, 1, 30, true],
    ['defaults to the setting of the storage', undefined, 2, 3, false],
  ])('%s', async (_what, evictAfterCycles, evictAfterTurns, cycles, isFound) => {
    const answer = await searchAfter(cycles, { storage: new InMemoryStorage({ evictAfterTurns }), evictAfterCycles })
    if (isFound) expect(answer).toContain('line 1321: status=FAILED')
    else expect(answer).toMatch(/^Error: .* was removed from storage .*Run the tool "read_log" again/)
  })

  it('is null for a storage that cannot evict', () => {
    expect(() => new ContextOffloader({ storage: twoMethods(), evictAfterCycles: null })).not.toThrow()
  })
})

describe('a storage with only store and retrieve', () => {
  it('serves all runs of one agent, with the references that the storage creates', async () => {
    const plugins = [new ContextOffloader({ storage: twoMethods() })]
    const agent = agentWith({ model: scriptedModel('read_log', searchFailed), tools: [readLog], plugins })
    const [result = '', answer] = await run(agent)
    expect(referenceIn(result)).toBe('mem_1_call_1_0')
    expect(answer).toContain('line 1321: status=FAILED')
    agent.model = scriptedModel(retrieving({ line_range: { start: 7, end: 7 } }, 'mem_1_call_1_0'))
    expect((await run(agent))[2]).toContain('line 7:')
  })

  it('is refused to a second agent, unless all agents share it', async () => {
    const model = (): FakeModel => scriptedModel('read_log')
    const plugins = [new ContextOffloader({ storage: twoMethods() })]
    const first = agentWith({ model: model(), tools: [readLog], plugins })
    await first.invoke('Go.')
    const second = agentWith({ model: model(), tools: [readLog], plugins })
    await expect(second.invoke('Go.')).rejects.toThrow(/cannot isolate two agents.* scope: \(\) => \[\]\.$/)
    const shared = [new ContextOffloader({ storage: twoMethods(), scope: () => [] })]
    const [, third] = [1, 2].map(() =>
      agentWith({ model: scriptedModel('read_log', searchFailed), tools: [readLog], plugins: shared }),
    )
    expect((await run(third as Agent))[1]).toContain('line 1321: status=FAILED')
  })

  it.skipIf(isVersion10)('may be any storage of Strands', async () => {
    const module = '@strands-agents/sdk/vended-plugins/context-offloader'
    const { InMemoryStorage: Theirs } = (await import(/* @vite-ignore */ module)) as {
      InMemoryStorage: new () => Storage
    }
    const plugins = [new ContextOffloader({ storage: new Theirs() })]
    const agent = agentWith({ model: scriptedModel('read_log', searchFailed), tools: [readLog], plugins })
    expect((await run(agent))[1]).toContain('line 1321: status=FAILED')
  })
})

describe('the count of tokens', () => {
  /** A fake model that counts tokens like a provider, and records the texts. */
  class CountingModel extends FakeModel {
    readonly asked: string[] = []
    readonly #factor: number

    constructor(factor: number) {
      super(({ results }) =>
        results.length > 0 ? { text: 'done' } : { toolCalls: [{ id: 'call_1', name: 'read_log', input: {} }] },
      )
      this.#factor = factor
    }

    override async countTokens(messages: Message[]): Promise<number> {
      const [block] = messages.length === 1 ? (messages[0]?.content ?? []) : []
      const text = block?.type === 'textBlock' ? block.text : ''
      if (text !== '' && text !== 'Go.') this.asked.push(text)
      return Math.ceil(countO200k(text) * this.#factor)
    }
  }

  it.each([1, 1.5])('follows the model, which counts one short text: factor %d', async (factor) => {
    const [first, second] = [new CountingModel(factor), new CountingModel(3)]
    const plugin = new ContextOffloader({ storage: new InMemoryStorage() })
    const agent = agentWith({ model: first, tools: [readLog], plugins: [plugin] })
    await agent.invoke('Go.')
    await agentWith({ model: second, tools: [readLog], plugins: [plugin] }).invoke('Go.')
    const { countTokens } = plugin.offloader.options
    expect(countTokens(LOG)).toBe(Math.ceil(estimateTokens(LOG) * factor))
    expect(first.asked.map((text) => text.length)).toEqual([expect.toSatisfy((length: number) => length < 1_000)])
    expect(second.asked).toEqual([])
  })

  it('is estimated if the model guesses from characters, as Strands models do by default', async () => {
    const plugin = new ContextOffloader({ storage: new InMemoryStorage() })
    await run(agentWith({ model: scriptedModel('read_log'), tools: [readLog], plugins: [plugin] }))
    expect(plugin.offloader.options.countTokens(LOG)).toBe(estimateTokens(LOG))
  })

  it('comes from countTokens if set, and no model is asked', async () => {
    const model = new CountingModel(2)
    const countTokens = (text: string): number => text.length
    const plugin = new ContextOffloader({ storage: new InMemoryStorage(), countTokens, maxResultTokens: LOG.length })
    expect((await run(agentWith({ model, tools: [readLog], plugins: [plugin] })))[0]).toBe(LOG)
    expect(model.asked).toEqual([])
  })
})

it('includeRetrievalTool: false offers no tool', () => {
  const storage: Storage = { ...twoMethods(), locate: () => ({ address: '/a', command: "cat '/a'" }) }
  expect(new ContextOffloader({ storage, includeRetrievalTool: false }).getTools()).toEqual([])
  expect(new ContextOffloader({ storage }).getTools().map(({ name }) => name)).toEqual(['retrieve_offloaded_content'])
})
