import { setImmediate as settle } from 'node:timers/promises'
import { RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { createToolkit, InMemoryStorageAdapter, Memory, Tool } from '@voltagent/core'
import type { ToolExecuteOptions, ToolHookOnEnd, ToolHookOnStart, ToolOptions } from '@voltagent/core'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { fakeModel } from '../test/fake-model.ts'
import {
  agentOf,
  calling,
  createOffloader,
  LOG,
  OFFLOADED,
  referenceIn,
  retrieving,
  scriptedModel,
  storedText,
  textOf,
  toolOf,
} from '../test/scripted-agent.ts'
import { isEarly } from '../test/version.ts'
import { offloadHooks } from './offload-hooks.ts'
import { offloadTools, type AnyTool } from './offload-tools.ts'

const IN_A = { conversationId: 'a' }
const USERS = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `user ${id}` }))
const readLog = toolOf('read_log', async () => LOG)

async function runTools(
  tools: readonly AnyTool[],
  names: readonly string[],
  { offloader } = createOffloader(),
): Promise<{
  readonly seen: readonly ReturnType<typeof scriptedModel>['prompts'][0]['results'][0][]
  outputs: unknown[]
}> {
  const { model, prompts } = scriptedModel(calling(...names))
  const agent = agentOf({ model, tools: offloadTools(tools, offloader), hooks: offloadHooks(offloader) })
  const { steps } = await agent.generateText('Go.', IN_A)
  const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as unknown))
  return { seen: prompts[1]?.results ?? [], outputs }
}

describe('offloadTools for the model and the program', () => {
  it('shows the model references, and gives the program original results', async () => {
    const { offloader } = createOffloader()
    const listUsers = toolOf('list_users', async () => USERS)
    const { seen, outputs } = await runTools([readLog, listUsers], ['read_log', 'list_users'], {
      offloader,
      events: [],
    })
    expect(seen.map((result) => OFFLOADED.test(textOf(result)))).toEqual([true, true])
    expect(outputs).toEqual([LOG, USERS])
    expect(await storedText(offloader, referenceIn(seen[0]), 'a')).toBe(LOG)
    expect(JSON.parse(await storedText(offloader, referenceIn(seen[1]), 'a'))).toEqual(USERS)
  })

  it('uses the default form of the AI SDK for small outputs', async () => {
    const values = [undefined, null, 0, false, '', 'text', { a: [1] }, []]
    const tools = values.map((value, index) => toolOf(`tool_${index}`, async () => value))
    const { seen } = await runTools(
      tools,
      tools.map(({ name }) => name),
    )
    const shown = seen.map(({ content }) => content[0])
    expect(shown).toEqual(
      values.map((value) =>
        typeof value === 'string' ? { type: 'text', text: value } : { type: 'json', value: value ?? null },
      ),
    )
  })

  it("offloads the output of the tool's own toModelOutput, and passes all of its arguments", async () => {
    const toModelOutput = vi.fn<NonNullable<Tool['toModelOutput']>>(({ output }) => ({
      type: 'text',
      value: `${String(output)}\n${LOG}`,
    }))
    const tool = toolOf('read_log', async () => 'first', { toModelOutput })
    const { seen, outputs } = await runTools([tool], ['read_log'])
    expect(textOf(seen[0])).toMatch(OFFLOADED)
    expect(outputs).toEqual(['first'])
    expect(toModelOutput).toHaveBeenCalledWith({ toolCallId: 'call_0', input: {}, output: 'first' })
  })

  it('keeps the output of a tool with an output schema, which a replacement would violate', async () => {
    const tool = toolOf('list_users', async () => USERS, {
      outputSchema: z.array(z.object({ id: z.number() })) as never,
    })
    const { seen, outputs } = await runTools([tool], ['list_users'])
    expect(textOf(seen[0])).toMatch(OFFLOADED)
    expect(outputs).toEqual([USERS.map(({ id }) => ({ id }))])
  })

  it("marks a huge error as an error, and keeps VoltAgent's value for the program", async () => {
    const tool = toolOf('build', async () => {
      throw Object.assign(new RangeError(`${LOG}\nFATAL: no space left`), { code: 'ENOSPC' })
    })
    const { seen, outputs } = await runTools([tool], ['build'])
    expect(seen[0]?.isError).toBe(true)
    expect(textOf(seen[0])).toMatch(/^\[Offloaded: 1 block[^]*FATAL: no space left/)
    expect(outputs).toMatchObject([
      { error: true, name: 'RangeError', message: `${LOG}\nFATAL: no space left`, code: 'ENOSPC' },
    ])
  })

  it("offloads the output in VoltAgent's error about a schema", async () => {
    const tool = toolOf('list_users', async () => ({ users: USERS }), { outputSchema: z.array(z.string()) as never })
    const { seen } = await runTools([tool], ['list_users'])
    expect(seen[0]?.isError).toBe(true)
    expect(textOf(seen[0])).toMatch(/^\[Offloaded: 1 block[^]*actualOutput/)
  })

  it("saves the model's small outputs in memory", async () => {
    const { offloader } = createOffloader()
    const memory = new Memory({ storage: new InMemoryStorageAdapter() })
    const { model } = scriptedModel(calling('read_log'), retrieving({ pattern: 'FAILED' }))
    const agent = agentOf({ model, memory, tools: offloadTools([readLog], offloader), hooks: offloadHooks(offloader) })
    await agent.generateText('Go.', { ...IN_A, userId: 'u' })
    const saved = JSON.stringify(await memory.getMessages('u', 'a'))
    expect(saved).toContain('[Offloaded: 1 block')
    expect(saved.length).toBeLessThan(10_000)
  })
})

describe('MCP results that VoltAgent passes on unchanged', () => {
  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]).toString('base64')
  const image = { type: 'image', data: PNG, mimeType: 'image/png' }

  it('have their text stored as text, and keep their error mark', async () => {
    const { offloader } = createOffloader()
    const read = toolOf('server_read', async () => ({ content: [{ type: 'text', text: LOG }] }))
    const fail = toolOf('server_fail', async () => ({ content: [{ type: 'text', text: LOG }], isError: true }))
    const { seen } = await runTools([read, fail], ['server_read', 'server_fail'], { offloader, events: [] })
    expect(seen.map(({ isError }) => isError)).toEqual([false, true])
    for (const result of seen) expect(await storedText(offloader, referenceIn(result), 'a')).toBe(LOG)
  })

  it('show an image as an image if the same result has a large text', async () => {
    const tool = toolOf('server_read', async () => ({ content: [{ type: 'text', text: LOG }, image] }))
    const { seen } = await runTools([tool], ['server_read'])
    expect(seen[0]?.content).toMatchObject([
      { type: 'text', text: OFFLOADED },
      { type: 'image', mediaType: 'image/png' },
    ])
  })

  it('have structured content that is stored in addition', async () => {
    const { offloader } = createOffloader()
    const result = { content: [{ type: 'text', text: 'See the structure.' }], structuredContent: { USERS } }
    const { seen } = await runTools([toolOf('server_read', async () => result)], ['server_read'], {
      offloader,
      events: [],
    })
    expect(textOf(seen[0])).toContain('See the structure.')
    expect(JSON.parse(await storedText(offloader, referenceIn(seen[0]), 'a'))).toEqual({ USERS })
  })

  it('are unchanged if they are small, and similar values are unchanged too', async () => {
    const small = { content: [{ type: 'text', text: 'fine' }, image], isError: true }
    const alike = { content: [{ type: 'text', text: LOG }], page: 1 }
    const { offloader } = createOffloader()
    const tools = [toolOf('small', async () => small), toolOf('alike', async () => alike)]
    const { seen } = await runTools(tools, ['small', 'alike'], { offloader, events: [] })
    expect(seen[0]?.content).toEqual([{ type: 'json', value: small }])
    expect(JSON.parse(await storedText(offloader, referenceIn(seen[1]), 'a'))).toEqual(alike)
  })
})

describe('offloadTools', () => {
  it('changes only toModelOutput, in a copy of the tool', () => {
    const given = {
      id: 'log-1',
      tags: ['logs'],
      needsApproval: () => true,
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      outputSchema: z.string() as never,
      hooks: { onEnd: async () => undefined },
    } satisfies Partial<ToolOptions>
    const tool = toolOf('read_log', async () => LOG, given)
    const before = Object.fromEntries(Object.entries(tool))
    const [wrapped] = offloadTools([tool], createOffloader().offloader)
    expect(wrapped).toBeInstanceOf(Tool)
    const { toModelOutput, hooks } = wrapped
    expect(Object.fromEntries(Object.entries(wrapped))).toEqual({ ...before, toModelOutput, hooks })
    expect(wrapped.execute).toBe(tool.execute)
    expect(hooks?.onEnd).toBe(tool.hooks?.onEnd)
    expect(Object.fromEntries(Object.entries(tool))).toEqual(before)
    expect(toModelOutput).not.toBe(tool.toModelOutput)
  })

  it('runs the hooks of a tool once for each call', async () => {
    const onStart = vi.fn<ToolHookOnStart>()
    const onEnd = vi.fn<ToolHookOnEnd>()
    await runTools([toolOf('read_log', async () => LOG, { hooks: { onStart, onEnd } })], ['read_log', 'read_log'])
    expect(onStart).toHaveBeenCalledTimes(2)
    expect(onEnd).toHaveBeenCalledTimes(2)
    expect(onEnd.mock.calls[0]?.[0]).toMatchObject({ output: LOG })
  })

  it('shows an output that a hook of the tool replaced', async () => {
    const hooks = { onEnd: async () => ({ output: 'redacted' }) }
    const { seen } = await runTools([toolOf('read_log', async () => LOG, { hooks })], ['read_log'])
    expect(textOf(seen[0])).toBe('redacted')
  })

  it('wraps the tools of a toolkit, and keeps tools that the provider defines', async () => {
    const search = { type: 'provider', id: 'fake.search', name: 'search', args: {} } as unknown as Tool
    const kit = createToolkit({ name: 'logs', instructions: 'Read.', addInstructions: true, tools: [readLog, search] })
    const [wrapped] = offloadTools([kit], createOffloader().offloader)
    expect(wrapped).toMatchObject({ name: 'logs', instructions: 'Read.', addInstructions: true })
    expect(wrapped.tools[0]).not.toBe(readLog)
    expect(wrapped.tools[1]).toBe(search)
    expect(kit.tools[0]).toBe(readLog)
    const { seen } = await runTools([kit], ['read_log'])
    expect(textOf(seen[0])).toMatch(OFFLOADED)
  })

  it('keeps wrapped tools unchanged', async () => {
    const { offloader } = createOffloader()
    const [wrapped] = offloadTools([readLog], offloader)
    expect(offloadTools([wrapped], offloader)[0]).toBe(wrapped)
  })

  it('adds the retrieval tool after the tools', () => {
    const { offloader } = createOffloader()
    expect(offloadTools([readLog], offloader).map(({ name }) => name)).toEqual(['read_log', RETRIEVAL_TOOL_NAME])
  })

  it('offloads a call once, even if the AI SDK requests its output again', async () => {
    const { offloader, events } = createOffloader()
    const { model } = scriptedModel(calling('read_log'), calling('read_log'))
    const agent = agentOf({ model, tools: offloadTools([readLog], offloader), hooks: offloadHooks(offloader) })
    const { fullStream } = await agent.streamText('Go.', IN_A)
    for await (const _ of fullStream);
    expect(events.map(({ type }) => type)).toEqual(['offload', 'offload'])
  })

  it.each([
    ['that are not an object', (input: { key: string }) => input.key],
    ['that are one object for all calls', () => SHARED],
  ])('keeps results of calls with arguments %s, because the call is ambiguous', async (_, parse) => {
    const { offloader } = createOffloader()
    const parameters = z.object({ key: z.string() }).transform(parse)
    const tool = toolOf('read_log', async () => LOG, { parameters: parameters as never })
    const call = (id: string) => ({ id, name: 'read_log', input: { key: id } })
    const { model, prompts } = scriptedModel({ toolCalls: [call('call_0'), call('call_1')] })
    const agent = agentOf({ model, tools: offloadTools([tool], offloader), hooks: offloadHooks(offloader) })
    await agent.generateText('Go.', IN_A)
    expect(prompts[1]?.results.map(textOf)).toEqual([LOG, LOG])
  })
})

const SHARED = {}

describe('concurrent conversations of one agent', () => {
  const readOwn = toolOf('read_log', async (_input: unknown, operation?: ToolExecuteOptions) => {
    for (let turn = Math.random() * 20; turn > 0; turn -= 1) await settle()
    return LOG.replace('FAILED', `FAILED in ${operation?.conversationId}`)
  })
  const ids = Array.from({ length: 10 }, (_, index) => `conversation-${index}`)
  // The model has no state: the prompt determines its next turn.
  const model = fakeModel((prompt) => {
    if (prompt.results.length === 0) return calling('read_log')
    return prompt.results.length === 1 ? retrieving({ pattern: 'FAILED' })(prompt) : { text: textOf(prompt.results[1]) }
  })

  it('are isolated, each with its own content under its own reference', async () => {
    const { offloader, events } = createOffloader()
    const agent = agentOf({ model, tools: offloadTools([readOwn], offloader), hooks: offloadHooks(offloader) })
    const runs = await Promise.all(ids.map((conversationId) => agent.generateText('Go.', { conversationId })))
    for (const [index, { text }] of runs.entries()) expect(text).toMatch(new RegExp(`FAILED in ${ids[index]} `))
    const stored = events.flatMap((event) =>
      event.type === 'offload' ? event.stored.map(({ reference }) => reference) : [],
    )
    expect(new Set(stored).size).toBe(10)
  })

  it('continue even if the storage fails for every other conversation', async () => {
    const storage = new InMemoryStorage()
    const scope = storage.scope.bind(storage)
    storage.scope = (...segments) => {
      const own = scope(...segments)
      if (Number(segments[0]?.split('-')[1]) % 2 === 1) own.store = () => Promise.reject(new Error('down'))
      return own
    }
    const { offloader, events } = createOffloader({ storage })
    const agent = agentOf({ model, tools: offloadTools([readOwn], offloader), hooks: offloadHooks(offloader) })
    const runs = await Promise.all(ids.map((conversationId) => agent.generateText('Go.', { conversationId })))
    for (const [index, { steps, text }] of runs.entries()) {
      const isDown = index % 2 === 1
      // The model calls the retrieval tool even if the storage is down.
      expect(/FAILED in/.test(text)).toBe(!isDown)
      expect(JSON.stringify(steps[0]?.response.messages).length > LOG.length).toBe(isDown)
    }
    expect(offloader.meter().failed).toBe(5)
    expect(events.filter(({ type }) => type === 'offload-failed')).toHaveLength(1)
  })

  it('stop only if their own call is canceled', async () => {
    const controllers = new Map(ids.map((id) => [id, new AbortController()]))
    const abortedIds = ids.filter((_, index) => index % 3 === 0)
    const readAndAbort = toolOf('read_log', async (input: unknown, operation?: ToolExecuteOptions) => {
      const { conversationId = '' } = operation ?? {}
      if (abortedIds.includes(conversationId)) controllers.get(conversationId)?.abort()
      return readOwn.execute?.(input, operation)
    })
    const { offloader, events } = createOffloader()
    const agent = agentOf({ model, tools: offloadTools([readAndAbort], offloader), hooks: offloadHooks(offloader) })
    const runs = Array.from(controllers, ([conversationId, { signal }]) =>
      agent.generateText('Go.', { conversationId, abortSignal: signal }),
    )
    for (const [index, run] of (await Promise.allSettled(runs)).entries())
      // Early versions call the model once more, even without Spillway.
      if (abortedIds.includes(ids[index] ?? '')) expect(run.status).toBe(isEarly ? 'fulfilled' : 'rejected')
      else expect(run).toMatchObject({ value: { text: expect.stringContaining(`FAILED in ${ids[index]} `) } })
    expect(events.filter(({ type }) => type === 'offload')).toHaveLength(ids.length - abortedIds.length)
  })
})

describe('offloadTools', () => {
  const { offloader } = createOffloader()

  it.each([
    [() => offloadTools({ readLog } as never, offloader), /tools must be an array/],
    [() => offloadTools([readLog], undefined as never), /offloader must be a ContextOffloader/],
    [() => offloadTools([readLog], offloader, { exept: [] } as never), /Unknown option "exept". Known: scope/],
    [() => offloadTools(offloadTools([readLog], offloader), offloader), /has retrieve_offloaded_content already/],
    [
      () => offloadTools([createToolkit({ name: 'kit', tools: offloadTools([], offloader) })], offloader),
      /has retrieve_offloaded_content already/,
    ],
  ])('refuses invalid arguments when tools are wrapped: %s', (wrap, message) => {
    expect(wrap).toThrow(TypeError)
    expect(wrap).toThrow(message)
  })

  it('passes values that are not tools to VoltAgent', () => {
    const tools: unknown[] = offloadTools([null, 'read'] as never[], offloader)
    expect(tools.slice(0, 2)).toEqual([null, 'read'])
  })
})
