import { Agent, MessageList, type MastraDBMessage } from '@mastra/core/agent'
import type {
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessOutputResultArgs,
  ProcessToolResultArgs,
} from '@mastra/core/processors'
import { RequestContext } from '@mastra/core/request-context'
import { createTool } from '@mastra/core/tools'
import { ContextOffloader, RETRIEVAL_TOOL_NAME, StorageError, type OffloadEvent, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { MastraToolInvocationPart } from '@mastra/core/agent/message-list'
import { SmallTexts } from '@spillway/core/adapter'
import { fakeModel } from '../test/fake-model.ts'
import {
  offloadOutput,
  offloadProcessor,
  OffloadRun,
  offloadStored,
  outputOfPart,
  withShownOutput,
  type ModelOutput,
  type OffloadProcessor,
} from './offload-processor.ts'

const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}`).join('\n')
const OFFLOADED = expect.stringMatching(/^\[Offloaded: 1 block/) as string

let offloader: ContextOffloader
let processor: OffloadProcessor

beforeEach(() => {
  offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  processor = offloadProcessor(offloader)
})

/** A run in a thread with a pending call, with only the fields of hooks that are read. */
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

  /** Do the same as Mastra after a tool has answered. */
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

describe('offloadProcessor before a model call', () => {
  it('ends a turn of the scope, and replaces the results of the previous step', async () => {
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

  it("replaces remaining results in the prompt, in the scope of the step's thread", async () => {
    const run = new Run('thread-1')
    await run.step()
    const prompt = await run.prompt(promptOf(LOG))
    expect(prompt).toMatchObject([{ content: [{ output: { type: 'text', value: OFFLOADED } }] }])
    expect(await referencesIn('thread-1')).toHaveLength(1)
  })

  it('offloads a result once, either in the messages or in the prompt', async () => {
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

  it('isolates parallel runs of many threads', async () => {
    const runs = Array.from({ length: 30 }, (_, index) => new Run(`thread-${index}`))
    for (const run of runs) run.answer(`${run.threadId}\n${LOG}`)
    await Promise.all(runs.map((run) => run.step()))
    for (const { threadId } of runs) expect(await referencesIn(threadId)).toHaveLength(1)
  })

  it('keeps results of tools with offload: false', async () => {
    const { storage } = offloader.options
    const exempt = new ContextOffloader({ storage, tools: { read: { offload: false } } })
    const run = new Run('thread-1', offloadProcessor(exempt))
    run.answer(LOG)
    await run.step()
    expect(run.result).toBe(LOG)
    const prompt = promptOf(LOG)
    expect(await run.prompt(prompt)).toEqual(prompt)
  })
})

describe('the prompt of a model call', () => {
  it('keeps every other message and field, and is equal if it is made again', async () => {
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

  it('isolates results with equal ids', async () => {
    const given = [LOG, `${LOG}.`, 'small'].flatMap((value) => promptOf(value))
    const shown = (await new Run('thread-1').prompt(given))?.map((message) => JSON.stringify(message)) ?? []
    expect(new Set(shown).size).toBe(3)
    expect(shown.map((one) => one.includes('[Offloaded: 1 block'))).toEqual([true, true, false])
  })

  it('is not counted again by later runs if its texts are small', async () => {
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
  it('is added by the processor, and only once per step', async () => {
    const brought = processor.getLoadedToolsForRequestContext()
    expect(Object.keys(brought)).toEqual([RETRIEVAL_TOOL_NAME])
    expect(processor.getLoadedToolsForRequestContext()).toBe(brought)
    expect(await new Run('a').step({ tools: { read: {}, ...brought } })).toBeUndefined()
  })

  it('refuses to replace a tool of the agent with the same name', async () => {
    const own = createTool({ id: RETRIEVAL_TOOL_NAME, description: 'Mine.', execute: async () => 'mine' })
    const model = fakeModel(() => ({ text: 'done' }), 'v2')
    const tools = { [RETRIEVAL_TOOL_NAME]: own }
    const agent = new Agent({ id: 'a', name: 'a', instructions: '', model, tools, inputProcessors: [processor] })
    await expect(agent.generate('Go.')).rejects.toThrow(/^tools has retrieve_offloaded_content already/)
  })

  it('is added again as the last tool if another processor removed it in a step', async () => {
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

describe('offloadProcessor as an output processor', () => {
  it('replaces a large result at once, and returns the list of messages to report that', async () => {
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
    const text = expect.stringMatching(/^\[Offloaded: 1 block/) as string
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

  it('keeps small results, provider results, and results that a tool maps for the model', async () => {
    const run = new Run('thread-1')
    expect(await run.toolResult('small')).toBeUndefined()
    expect(await run.toolResult(LOG, { providerExecuted: true })).toBeUndefined()
    await run.step({ tools: { read: { toModelOutput: () => undefined } } })
    expect(await run.toolResult(LOG)).toBeUndefined()
    expect(await referencesIn('thread-1')).toEqual([])
  })

  it('replaces results after the last model call', async () => {
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

it('offloadProcessor rejects invalid arguments with advice', () => {
  const storage: Storage = { store: async () => 'a', retrieve: () => Promise.reject(new Error('none')) }
  for (const [given, options, message] of [
    [undefined, {}, /offloadProcessor\(offloader, options\)/],
    [storage, {}, /offloader must be a ContextOffloader/],
    [offloader, null, /options must be an object, got null/],
    [offloader, { toolErrors: 'message' }, /Unknown option "toolErrors". Known: scope/],
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

describe('offloadStored', () => {
  const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}`).join('\n')

  function invocation(toolCallId: string, own: object): MastraToolInvocationPart {
    const toolInvocation = { toolCallId, toolName: 'read', args: { path: 'a' }, state: 'result', ...own }
    return { type: 'tool-invocation', toolInvocation: toolInvocation as MastraToolInvocationPart['toolInvocation'] }
  }

  function message(id: string, ...parts: MastraDBMessage['content']['parts']): MastraDBMessage {
    return {
      id,
      role: 'assistant',
      createdAt: new Date(0),
      threadId: 't',
      resourceId: 'u',
      content: { format: 2, parts },
    }
  }

  const parts = (list: MessageList): readonly unknown[] => list.get.all.db().flatMap(({ content }) => content.parts)

  let offloader: ContextOffloader
  let run: OffloadRun
  let list: MessageList

  beforeEach(() => {
    offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    run = new OffloadRun(offloader, new SmallTexts())
    list = new MessageList({ threadId: 't', resourceId: 'u' })
  })

  it('replaces large results and errors of this run, and keeps everything else', async () => {
    const small = invocation('call_2', { result: 'small' })
    const text = { type: 'text', text: LOG } as const
    const failed = invocation('call_3', { state: 'output-error', errorText: LOG })
    const open = invocation('call_4', { state: 'call' })
    list.add(
      message('m', { ...invocation('call_1', { result: LOG }), title: 'Read' }, small, text, failed, open),
      'response',
    )
    await offloadStored(list, run)
    const replacement = expect.stringMatching(/^\[Offloaded: 1 block/) as string
    expect(parts(list)).toMatchObject([
      { toolInvocation: { toolCallId: 'call_1', args: { path: 'a' }, result: replacement }, title: 'Read' },
      small,
      text,
      { toolInvocation: { state: 'output-error', errorText: replacement } },
      open,
    ])
  })

  it('changes nothing in a run with small results', async () => {
    list.add(message('m', invocation('call_1', { result: 'small' })), 'response')
    const before = parts(list)
    await offloadStored(list, run)
    expect(parts(list)).toEqual(before)
    for (const [index, part] of parts(list).entries()) expect(part).toBe(before[index])
  })

  it("keeps the history of memory and the program's messages", async () => {
    const given = [
      message('m', invocation('call_1', { result: LOG })),
      message('i', invocation('call_2', { result: LOG })),
    ]
    list.add(given.slice(0, 1), 'memory').add(given.slice(1), 'input')
    const offload = vi.spyOn(offloader, 'offload')
    await offloadStored(list, run)
    expect(offload).not.toHaveBeenCalled()
    expect(parts(list)).toMatchObject([{ toolInvocation: { result: LOG } }, { toolInvocation: { result: LOG } }])
  })

  it('keeps results of tools that the provider ran', async () => {
    list.add(message('m', { ...invocation('call_1', { result: LOG }), providerExecuted: true }), 'response')
    await offloadStored(list, run)
    expect(parts(list)).toMatchObject([{ toolInvocation: { result: LOG } }])
  })

  it('offloads each result once, with any number of later steps', async () => {
    const offload = vi.spyOn(offloader, 'offload')
    list.add(
      message('m', invocation('call_1', { result: LOG }), invocation('call_2', { result: { a: 1 } })),
      'response',
    )
    for (let step = 0; step < 5; step += 1) await offloadStored(list, run)
    expect(offload).toHaveBeenCalledTimes(2)
  })

  it('never writes the replacement of one call into another with an equal id', async () => {
    list.add(message('one', invocation('call_1', { result: LOG })), 'response')
    list.add({ ...message('two', invocation('call_1', { result: 'small' })), createdAt: new Date(1) }, 'response')
    await offloadStored(list, run)
    const results = parts(list).map((part) => (part as MastraToolInvocationPart).toolInvocation.result)
    expect(results.at(-1)).toBe('small')
  })
})

describe('offloadRun', () => {
  const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}`).join('\n')
  const CALL = { toolName: 'read', toolCallId: 'call_1' }
  const text = (value = LOG): { type: string; value: string } => ({ type: 'text', value })

  let storage: InMemoryStorage
  let offloader: ContextOffloader
  let events: OffloadEvent[]
  let small: SmallTexts
  let run: OffloadRun

  beforeEach(() => {
    storage = new InMemoryStorage()
    events = []
    offloader = new ContextOffloader({ storage, onEvent: (event) => void events.push(event) })
    small = new SmallTexts()
    run = new OffloadRun(offloader, small)
  })

  it('offloads each result once, even if Mastra writes its output again', async () => {
    const offload = vi.spyOn(offloader, 'offload')
    const value = { rows: [1, 2, 3] }
    const image = { type: 'image-data', data: 'aGk=', mediaType: 'image/png' }
    const outputs = [
      () => text(),
      () => text('small'),
      () => ({ type: 'error-text', value: LOG }),
      () => ({ type: 'json', value }),
      () => ({ type: 'content', value: [{ type: 'text', text: LOG }, { ...image }] }),
      () => ({
        type: 'content',
        value: [
          { type: 'text', text: 'small' },
          { ...image, data: { type: 'data', data: 'aGk=' } },
        ],
      }),
    ]
    for (const output of outputs) {
      offload.mockClear()
      const shown = await run.show(CALL, {}, output())
      expect(offload).toHaveBeenCalledTimes(1)
      // Known outputs are shown at once, and later prompts contain the shown outputs.
      for (const again of [output(), output(), { ...shown }]) expect(run.show(CALL, {}, again)).toEqual(shown)
      expect(offload).toHaveBeenCalledTimes(1)
    }
  })

  it('returns the same object for a result that is not offloaded, even later', async () => {
    const small = text('small')
    expect(await run.show(CALL, {}, small)).toBe(small)
    const again = text('small')
    expect(run.show(CALL, {}, again)).toBe(again)
  })

  it('passes the call and its arguments to the offloader', async () => {
    const offload = vi.spyOn(offloader, 'offload')
    await run.show(CALL, { path: 'a' }, { type: 'error-text', value: LOG })
    const told = { ...CALL, input: { path: 'a' }, isError: true }
    expect(offload).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(told))
  })

  it('isolates results with equal ids or texts', async () => {
    const offload = vi.spyOn(offloader, 'offload')
    const first = await run.show(CALL, {}, text())
    const second = await run.show(CALL, {}, text(`${LOG}.`))
    expect(second).not.toEqual(first)
    expect(await run.show(CALL, {}, { type: 'error-text', value: LOG })).toMatchObject({ type: 'error-text' })
    expect(await run.show({ ...CALL, toolCallId: 'call_2' }, {}, text())).not.toEqual(first)
    expect(offload).toHaveBeenCalledTimes(4)
    expect(run.show(CALL, {}, text())).toEqual(first)
    expect(run.show(CALL, {}, text(`${LOG}.`))).toEqual(second)
  })

  it.each(['__proto__', 'constructor', ''])('accepts the id %j', async (toolCallId) => {
    const call = { ...CALL, toolCallId }
    const shown = await run.show(call, {}, text())
    expect(shown).toMatchObject({ value: expect.stringMatching(/^\[Offloaded/) as string })
    expect(run.show(call, {}, text())).toEqual(shown)
  })

  it('remembers which texts are small', async () => {
    for (const output of [text('small'), text(), { type: 'json', value: { a: 1 } }]) await run.show(CALL, {}, output)
    expect(small.has(CALL.toolName, 'small')).toBe(true)
    expect(small.has(CALL.toolName, LOG)).toBe(false)
  })

  it('retries a failed store once for each model call', async () => {
    const store = vi.spyOn(storage, 'store').mockRejectedValue(new StorageError('unavailable', 'The disk is gone.'))
    const attempts = (): number => store.mock.calls.length
    const output = text()
    for (let look = 0; look < 3; look += 1) expect(await run.show(CALL, {}, output)).toBe(output)
    await run.show({ ...CALL, toolCallId: 'call_2' }, {}, text('small'))
    expect(attempts()).toBe(1)
    // A step begins between the answer of a tool and the next prompt.
    run.beginStep()
    await run.show(CALL, {}, text())
    run.endPrompt()
    // A run may end here.
    await run.show(CALL, {}, text())
    expect(attempts()).toBe(1)
    run.beginStep()
    for (let look = 0; look < 3; look += 1) await run.show(CALL, {}, text())
    expect(attempts()).toBe(2)
    run.endPrompt()
    run.beginStep()
    store.mockRestore()
    expect(await run.show(CALL, {}, text())).toMatchObject({ value: expect.stringMatching(/^\[Offloaded/) as string })
    expect(run.show({ ...CALL, toolCallId: 'call_2' }, {}, text('small'))).toEqual(text('small'))
    expect(events.map(({ type }) => type)).toEqual(['offload-failed', 'offload-recovered', 'offload'])
  })

  it('keeps results unchanged after the run was aborted', async () => {
    run.signal = AbortSignal.abort(new Error('enough'))
    const output = text()
    expect(await run.show(CALL, {}, output)).toBe(output)
    expect(events.map(({ type }) => type)).toEqual(['offload-failed'])
  })

  describe('offloadOutput', () => {
    const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}`).join('\n')
    const CALL = { toolName: 'read', toolCallId: 'call_1' }
    const IMAGE = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
    const text = (value = LOG): object => ({ type: 'text', text: value })
    const file = (bytes: number): object => {
      const blob = Buffer.alloc(bytes).toString('base64')
      return { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob } }
    }
    const replaced = (blocks: number): string =>
      expect.stringMatching(new RegExp(`^\\[Offloaded: ${blocks} block`)) as string

    const storage = new InMemoryStorage()
    const offloader = new ContextOffloader({ storage })

    const shown = async (value: unknown): Promise<ModelOutput> =>
      (await offloadOutput(offloader, CALL, { type: 'json', value })).output

    async function stored({ value }: ModelOutput): Promise<{ readonly text: string; readonly contentType: string }> {
      const [, reference = ''] = /^ {2}(\w+) \(/m.exec(String(value)) ?? []
      const { content, contentType } = await storage.retrieve(reference)
      return { text: new TextDecoder().decode(content), contentType }
    }

    it('stores the text of an MCP result byte for byte, not as JSON', async () => {
      const output = await shown({ content: [text()] })
      expect(output).toEqual({ type: 'text', value: replaced(1) })
      expect(await stored(output)).toEqual({ text: LOG, contentType: 'text/plain' })
    })

    it('keeps the error mark of an MCP server', async () => {
      expect(await shown({ content: [text()], isError: true })).toEqual({ type: 'error-text', value: replaced(1) })
      expect(await shown({ content: [text()], isError: false })).toEqual({ type: 'text', value: replaced(1) })
    })

    it('keeps small parts of an MCP server after the replacement', async () => {
      expect(await shown({ content: [text(), text('small'), IMAGE] })).toEqual({
        type: 'content',
        value: [
          { type: 'text', text: replaced(1) },
          { type: 'text', text: 'small' },
          { type: 'media', data: 'aGk=', mediaType: 'image/png' },
        ],
      })
    })

    it.each([
      ['a text', { content: [text('small')] }],
      [
        'an image, which Mastra shows as an image',
        { content: [{ ...IMAGE, data: Buffer.alloc(300_000).toString('base64') }] },
      ],
      ['a file of a few bytes', { content: [file(100)] }],
      ['a file beside an image, which prompts show as parts', { content: [file(30_000), IMAGE] }],
    ])('returns the same object if an MCP server returned %s', async (_what, value) => {
      const output = { type: 'json', value }
      const outcome = await offloadOutput(offloader, CALL, output)
      expect(outcome).toEqual({ output, reason: 'within-limit' })
      expect(outcome.output).toBe(output)
    })

    it('replaces a file of an MCP server if its Base64, which Mastra shows, is too large', async () => {
      const value = { content: [text('small'), file(30_000)] }
      const output = await shown(value)
      expect(output).toEqual({ type: 'text', value: replaced(1) })
      expect(JSON.parse((await stored(output)).text)).toEqual(value)
    })

    it('stores a large file of an MCP server as that file', async () => {
      const output = await shown({ content: [file(300_000)] })
      expect(output).toEqual({ type: 'content', value: [{ type: 'text', text: replaced(1) }] })
      const [part] = output.value as { text: string }[]
      expect(await stored({ type: 'text', value: part?.text })).toMatchObject({ contentType: 'application/pdf' })
    })

    it.each([
      { content: [text()], rows: [1] },
      { content: [{ type: 'paragraph', text: LOG }] },
      { content: LOG },
      [LOG],
    ])('reads a value that only looks like an MCP result as a value', async (value) => {
      const output = await shown(value)
      expect(output).toEqual({ type: 'text', value: replaced(1) })
      expect(JSON.parse((await stored(output)).text)).toEqual(value)
    })
  })
})

describe('modelOutput', () => {
  const REPLACEMENT = '[Offloaded: 1 block, ~9 tokens]'
  const CALL = { toolCallId: 'call_1', toolName: 'read', args: { path: 'a' } }

  function part(
    invocation: Partial<MastraToolInvocationPart['toolInvocation']>,
    mastra?: Record<string, unknown>,
  ): MastraToolInvocationPart {
    const providerMetadata = {
      mastra,
      openai: { itemId: 'item_1' },
    } as MastraToolInvocationPart['providerMetadata'] & {}
    return {
      type: 'tool-invocation',
      toolInvocation: { ...CALL, state: 'result', ...invocation } as MastraToolInvocationPart['toolInvocation'],
      ...(mastra !== undefined && { providerMetadata }),
      createdAt: 7,
    }
  }

  describe('outputOfPart', () => {
    it.each([
      ['text', part({ result: 'text' }), { type: 'text', value: 'text' }],
      ['an empty text', part({ result: '' }), { type: 'text', value: '' }],
      ['a value', part({ result: { a: 1 } }), { type: 'json', value: { a: 1 } }],
      ['null', part({ result: null }), { type: 'json', value: null }],
      ['an error', part({ state: 'output-error', errorText: 'failed' }), { type: 'error-text', value: 'failed' }],
    ])('reads the output for the model of %s', (_what, one, expected) => {
      expect(outputOfPart(one)).toEqual(expected)
    })

    it('returns the result of toModelOutput, if it exists', () => {
      const modelOutput = { type: 'content', value: [] }
      expect(outputOfPart(part({ result: 'raw' }, { modelOutput }))).toBe(modelOutput)
      expect(outputOfPart(part({ result: 'raw' }, { modelOutput: null }))).toEqual({ type: 'text', value: 'raw' })
      expect(outputOfPart(part({ result: 'raw' }, { other: 1 }))).toEqual({ type: 'text', value: 'raw' })
    })

    it.each(['call', 'partial-call', 'output-denied', 'approval-requested'] as const)(
      'finds no output if the state of the call is %s',
      (state) => {
        expect(outputOfPart(part({ state }))).toBeUndefined()
      },
    )
  })

  describe('withShownOutput', () => {
    const text = { type: 'text', value: REPLACEMENT }
    const content = { type: 'content', value: [{ type: 'text', text: REPLACEMENT }, { type: 'media' }] }

    it('replaces a result by a text, and keeps everything else', () => {
      const one = part({ result: 'long'.repeat(100) }, { other: 1 })
      expect(withShownOutput(one, text)).toEqual({
        ...one,
        toolInvocation: { ...one.toolInvocation, result: REPLACEMENT },
      })
    })

    it('writes parts into the metadata, in the form that toModelOutput returns', () => {
      expect(withShownOutput(part({ result: { content: [] } }), content)).toMatchObject({
        toolInvocation: { result: REPLACEMENT },
        providerMetadata: { mastra: { modelOutput: content } },
      })
    })

    it('replaces the message of an error by a text', () => {
      const one = part({ state: 'output-error', errorText: 'failed' })
      const replaced = withShownOutput(one, { type: 'error-text', value: REPLACEMENT })
      expect(replaced.toolInvocation).toEqual({ ...one.toolInvocation, errorText: REPLACEMENT })
      expect(replaced.toolInvocation).not.toHaveProperty('result')
    })

    it('keeps a short mapped result, for example a path, and replaces a long result', () => {
      const mapped = { modelOutput: { type: 'text', value: 'long'.repeat(100) } }
      const kept = withShownOutput(part({ result: { path: 'a' } }, mapped), text)
      expect(kept).toMatchObject({
        toolInvocation: { result: { path: 'a' } },
        providerMetadata: { mastra: { modelOutput: text }, openai: { itemId: 'item_1' } },
      })
      const replaced = withShownOutput(part({ result: { png: 'A'.repeat(100) } }, mapped), text)
      expect(replaced.toolInvocation.result).toBe(REPLACEMENT)
    })
  })
})
