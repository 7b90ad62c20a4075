import { MessageList } from '@mastra/core/agent'
import type {
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessOutputResultArgs,
  ProcessToolResultArgs,
} from '@mastra/core/processors'
import { RequestContext } from '@mastra/core/request-context'
import { ContextOffloader, RETRIEVAL_TOOL_NAME, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { offloadProcessor, type OffloadProcessor } from './offload-processor.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const OFFLOADED = expect.stringMatching(/^\[Offloaded: 1 block/) as string

let offloader: ContextOffloader
let processor: OffloadProcessor

beforeEach(() => {
  offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  processor = offloadProcessor(offloader)
})

/** A run in a thread, with a call that is under way, as Mastra hands it to hooks: as much of it as is looked at. */
class Run {
  readonly threadId: string
  readonly one: OffloadProcessor
  readonly state = {}
  readonly messageList: MessageList

  constructor(threadId: string, one: OffloadProcessor = processor) {
    this.threadId = threadId
    this.one = one
    this.messageList = new MessageList({ threadId, resourceId: 'user' })
    const toolInvocation = { state: 'call', toolCallId: 'call_1', toolName: 'read', args: { path: 'a' } } as const
    this.messageList.add('Go.', 'input').add(
      {
        id: 'answer',
        role: 'assistant',
        createdAt: new Date(),
        threadId,
        resourceId: 'user',
        content: { format: 2, parts: [{ type: 'tool-invocation', toolInvocation }] },
      },
      'response',
    )
  }

  get #args(): object {
    const { state, messageList } = this
    return { state, messageList, messages: messageList.get.all.db(), requestContext: new RequestContext() }
  }

  async step(own: Partial<ProcessInputStepArgs> = {}): Promise<unknown> {
    return this.one.processInputStep({ ...this.#args, tools: {}, ...own } as ProcessInputStepArgs)
  }

  async prompt(prompt: ProcessLLMRequestArgs['prompt']): Promise<ProcessLLMRequestArgs['prompt'] | undefined> {
    const { messages: _messages, messageList: _list, ...args } = this.#args as Record<string, unknown>
    const result = await this.one.processLLMRequest({ ...args, prompt } as unknown as ProcessLLMRequestArgs)
    return result?.prompt
  }

  async toolResult(result: unknown, own: Partial<ProcessToolResultArgs> = {}): Promise<unknown> {
    const call = { toolCallId: 'call_1', toolName: 'read', args: { path: 'a' }, result, ...own }
    return this.one.processToolResult({ ...this.#args, ...call } as ProcessToolResultArgs)
  }

  async end(): Promise<unknown> {
    return this.one.processOutputResult(this.#args as ProcessOutputResultArgs)
  }

  /** Do what Mastra does once a tool has answered. */
  answer(result: unknown): void {
    const toolInvocation = { state: 'result', toolCallId: 'call_1', toolName: 'read', args: {}, result } as const
    this.messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation })
  }

  get result(): unknown {
    const parts = this.messageList.get.all.db().flatMap(({ content }) => content.parts)
    const part = parts.find(({ type }) => type === 'tool-invocation')
    return part?.type === 'tool-invocation' ? part.toolInvocation.result : undefined
  }
}

describe('before a model call', () => {
  it('ends a turn of the scope, and replaces the results of the step before', async () => {
    const run = new Run('thread-1')
    const endTurn = vi.spyOn(ContextOffloader.prototype, 'endTurn')
    run.answer(LOG)
    await run.step()
    expect(run.result).toEqual(OFFLOADED)
    expect(endTurn).toHaveBeenCalledTimes(1)
    endTurn.mockRestore()
    expect(await referencesIn('thread-1')).toHaveLength(1)
    expect(await referencesIn('thread-2')).toHaveLength(0)
  })

  it('replaces what is left in the prompt, in the scope of the thread that the step has told', async () => {
    const run = new Run('thread-1')
    await run.step()
    const prompt = await run.prompt(promptOf(LOG))
    expect(prompt).toMatchObject([{ content: [{ output: { type: 'text', value: OFFLOADED } }] }])
    expect(await referencesIn('thread-1')).toHaveLength(1)
  })

  it('works through a result once, be it in the messages or in the prompt', async () => {
    const run = new Run('thread-1')
    const offload = vi.spyOn(ContextOffloader.prototype, 'offload')
    run.answer('small')
    for (let step = 0; step < 5; step += 1) {
      await run.step()
      await run.prompt(promptOf('small'))
    }
    expect(offload).toHaveBeenCalledTimes(1)
    offload.mockRestore()
  })

  it('keeps the runs of many threads apart that are under way at once', async () => {
    const runs = Array.from({ length: 30 }, (_, index) => new Run(`thread-${index}`))
    for (const run of runs) run.answer(`${run.threadId}\n${LOG}`)
    await Promise.all(runs.map((run) => run.step()))
    for (const { threadId } of runs) expect(await referencesIn(threadId)).toHaveLength(1)
  })

  it('leaves the results of the tools that are left out', async () => {
    const run = new Run('thread-1', offloadProcessor(offloader, { except: ['read'] }))
    run.answer(LOG)
    await run.step()
    expect(run.result).toBe(LOG)
    const prompt = promptOf(LOG)
    expect(await run.prompt(prompt)).toEqual(prompt)
  })
})

describe('the prompt of a model call', () => {
  it('keeps every other message and field of it, and is no other the next time', async () => {
    const run = new Run('thread-1')
    const offload = vi.spyOn(ContextOffloader.prototype, 'offload')
    const user = { role: 'user', content: [{ type: 'text', text: LOG }] } as const
    const approval = { type: 'tool-approval-response', approvalId: 'a', approved: true }
    const [large] = promptOf(LOG, { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } })
    const provided = { ...promptOf(LOG)[0], role: 'assistant' }
    const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'a' } } as const
    const others = [user, { role: 'assistant', content: [call] }, provided, { role: 'tool', content: [approval] }]
    const given = [...others, large, ...promptOf('small')] as ProcessLLMRequestArgs['prompt']
    const before = structuredClone(given)
    const prompt = await run.prompt(given)
    expect(given).toEqual(before)
    for (const [index, message] of given.entries()) if (message !== large) expect(prompt?.[index]).toBe(message)
    expect(prompt?.[4]).toEqual({
      role: 'tool',
      content: [{ ...(large?.content[0] as object), output: { type: 'text', value: OFFLOADED } }],
    })
    expect(offload.mock.calls.map(([{ input }]) => input)).toEqual([{ path: 'a' }, { path: 'a' }])
    expect(await run.prompt(structuredClone(given))).toEqual(prompt)
    expect(offload).toHaveBeenCalledTimes(2)
    offload.mockRestore()
  })

  it('keeps results apart that have equal ids', async () => {
    const given = [LOG, `${LOG}.`, 'small'].flatMap((value) => promptOf(value))
    const shown = (await new Run('thread-1').prompt(given))?.map((message) => JSON.stringify(message)) ?? []
    expect(new Set(shown).size).toBe(3)
    expect(shown.map((one) => one.includes('[Offloaded: 1 block'))).toEqual([true, true, false])
  })

  it('is not counted anew by later runs, where texts of it are small', async () => {
    const countTokens = vi.fn<(text: string) => number>((text) => text.length)
    const counting = offloadProcessor(new ContextOffloader({ storage: new InMemoryStorage(), countTokens }))
    await new Run('thread-1', counting).prompt(promptOf('small'))
    expect(countTokens).toHaveBeenCalledTimes(1)
    await new Run('thread-2', counting).prompt(promptOf('small'))
    expect(countTokens).toHaveBeenCalledTimes(1)
    await new Run('thread-2', counting).prompt(promptOf('another'))
    expect(countTokens).toHaveBeenCalledTimes(2)
  })
})

describe('the retrieval tool', () => {
  it('is brought along, and not added again to a step that has it', async () => {
    const brought = processor.getLoadedToolsForRequestContext()
    expect(Object.keys(brought)).toEqual([RETRIEVAL_TOOL_NAME])
    expect(processor.getLoadedToolsForRequestContext()).toBe(brought)
    expect(await new Run('a').step({ tools: { read: {}, ...brought } })).toBeUndefined()
  })

  it('is put back, after the others, where another processor has taken it out of a step', async () => {
    const tools = { read: {}, write: {} }
    const result = (await new Run('a').step({ tools })) as { readonly tools: object }
    expect(Object.keys(result.tools)).toEqual(['read', 'write', RETRIEVAL_TOOL_NAME])
    expect(Object.keys(tools)).toEqual(['read', 'write'])
  })

  it('is absent with includeRetrievalTool: false', async () => {
    const storage: Storage = {
      store: async () => 'a',
      retrieve: () => Promise.reject(new Error('none')),
      locate: () => ({ type: 'path', value: '/tmp/a' }) as never,
    }
    const options = { storage, includeRetrievalTool: false, showLocation: true }
    const without = offloadProcessor(new ContextOffloader(options), { scope: () => [] })
    expect(without.getLoadedToolsForRequestContext()).toEqual({})
    expect(await new Run('a', without).step()).toBeUndefined()
  })
})

describe('as an output processor', () => {
  it('replaces a large result as soon as there is one, and says so by returning the list', async () => {
    const run = new Run('thread-1')
    expect(await run.toolResult(LOG)).toBe(run.messageList)
    expect(run.result).toEqual(OFFLOADED)
    expect(await referencesIn('thread-1')).toHaveLength(1)
  })

  it('gives the parts of an MCP server to the model as parts', async () => {
    const run = new Run('thread-1')
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
    await run.toolResult({ content: [{ type: 'text', text: LOG }, image] })
    const [prompt] = (await run.messageList.get.all.aiV5.llmPrompt()).slice(-1)
    const text = expect.stringMatching(/^\[Offloaded: 1 blocks/) as string
    expect(prompt).toMatchObject({
      content: [
        {
          output: {
            type: 'content',
            value: [
              { type: 'text', text },
              { type: 'media', data: 'aGk=' },
            ],
          },
        },
      ],
    })
  })

  it('leaves small results, those of the provider, and those that a tool maps for the model', async () => {
    const run = new Run('thread-1')
    expect(await run.toolResult('small')).toBeUndefined()
    expect(await run.toolResult(LOG, { providerExecuted: true })).toBeUndefined()
    await run.step({ tools: { read: { toModelOutput: () => undefined } } })
    expect(await run.toolResult(LOG)).toBeUndefined()
    expect(await referencesIn('thread-1')).toEqual([])
  })

  it('replaces at the end what no model call has followed', async () => {
    const run = new Run('thread-1')
    run.answer({ rows: LOG.split('\n') })
    expect(await run.end()).toBe(run.messageList)
    expect(run.result).toEqual(OFFLOADED)
  })

  it('stores nothing at the end of a run that was aborted', async () => {
    const run = new Run('thread-1')
    run.answer('small')
    await run.step({ abortSignal: AbortSignal.abort() })
    run.answer(LOG)
    await run.end()
    expect(run.result).toBe(LOG)
  })
})

it('refuses what cannot work, and says what to do', () => {
  const storage: Storage = { store: async () => 'a', retrieve: () => Promise.reject(new Error('none')) }
  for (const [given, options, message] of [
    [undefined, {}, /offloadProcessor\(offloader, options\)/],
    [storage, {}, /offloader must be a ContextOffloader/],
    [offloader, null, /options must be an object, got null/],
    [offloader, { except: ['read', 1] }, /except must be an array of tool names/],
    [offloader, { toolErrors: 'message' }, /Unknown option "toolErrors". Known: scope, except/],
    [new ContextOffloader({ storage }), {}, /let all sessions share it with scope/],
  ] as const)
    expect(() => offloadProcessor(given as never, options as never)).toThrow(message)
})

function promptOf(value: string, own: object = {}): ProcessLLMRequestArgs['prompt'] {
  const result = {
    type: 'tool-result',
    toolCallId: 'call_1',
    toolName: 'read',
    output: { type: 'text', value },
    ...own,
  } as const
  return [{ role: 'tool', content: [result] }]
}

async function referencesIn(thread: string): Promise<string[]> {
  const references: string[] = []
  for await (const { reference } of offloader.forScope(thread).options.storage.list?.() ?? [])
    references.push(reference)
  return references
}
