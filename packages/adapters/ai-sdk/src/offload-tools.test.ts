import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { convertToModelMessages, dynamicTool, generateText, jsonSchema, tool, type ToolSet, type UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { fakeModel } from '../test/fake-model.ts'
import { readPrompt } from '../test/read-prompt.ts'
import { isVersion7 } from '../test/version.ts'
import { guardExecute, offloadTools, wrapTool, type AnyTool, type Execute } from './offload-tools.ts'
import { retrievalTool } from './retrieval-tool.ts'

const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}`).join('\n')
const CALL = { toolCallId: 'call_1', input: {} }
const schema = jsonSchema<object>({ type: 'object' })
const newOffloader = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage() })

/** Tools whose types do not matter. */
const loose = (tools: object): ToolSet => tools as ToolSet
const shown = async (tools: ToolSet, name: string, output: unknown): Promise<unknown> =>
  tools[name]?.toModelOutput?.({ ...CALL, output })

/** Return the output that the model sees. */
async function seenOutput(tools: ToolSet): Promise<unknown> {
  let calls = 0
  const model = fakeModel(() =>
    (calls += 1) > 1 ? { text: 'done' } : { toolCalls: [{ id: 'call_1', name: 'run', input: {} }] },
  )
  const { steps } = await generateText({ model, tools, prompt: 'Go.', stopWhen: ({ steps }) => steps.length === 2 })
  expect(steps).toHaveLength(2)
  const prompts = (model as unknown as { doGenerateCalls: Parameters<typeof readPrompt>[0][] }).doGenerateCalls
  return JSON.parse(readPrompt(prompts[1]!).messages)
}

describe('offloadTools', () => {
  it('returns a new record with the retrieval tool after the tools', () => {
    const tools = loose({ b: { inputSchema: schema }, a: { inputSchema: schema } })
    const wrapped = offloadTools(tools, newOffloader())
    expect(Object.keys(wrapped)).toEqual(['b', 'a', RETRIEVAL_TOOL_NAME])
    expect(Object.keys(tools)).toEqual(['b', 'a'])
  })

  it('adds no retrieval tool if the offloader has none', () => {
    const storage = Object.assign(new InMemoryStorage(), { locate: () => undefined })
    const offloader = new ContextOffloader({ storage, includeRetrievalTool: false })
    expect(Object.keys(offloadTools({}, offloader))).toEqual([])
  })

  it('accepts any tool name', async () => {
    const tools = Object.fromEntries(['__proto__', 'constructor', ''].map((name) => [name, { inputSchema: schema }]))
    const wrapped = offloadTools(loose(tools), newOffloader()) as ToolSet
    for (const name of Object.keys(tools)) {
      const own = Object.getOwnPropertyDescriptor(wrapped, name)?.value as ToolSet[string]
      expect(await own.toModelOutput?.({ ...CALL, output: LOG })).toMatchObject({ type: 'text' })
    }
  })

  it('does not change the given tools, and accepts frozen tools', async () => {
    const run = Object.freeze({ inputSchema: schema, execute: async () => LOG })
    const wrapped = offloadTools(loose(Object.freeze({ run })), newOffloader()) as ToolSet
    expect(Object.keys(run)).toEqual(['inputSchema', 'execute'])
    expect(await shown(wrapped, 'run', LOG)).toMatchObject({ value: expect.stringMatching(/^\[Offloaded/) })
  })

  it('offloads bytes as a file, and shows few bytes as the SDK does', async () => {
    const wrapped = offloadTools(loose({ read: { inputSchema: schema, execute: () => 0 } }), newOffloader())
    const pdf = Buffer.from(`%PDF-1.7\n${'\0'.repeat(80_000)}`)
    expect(await shown(wrapped, 'read', pdf)).toMatchObject({
      type: 'text',
      value: expect.stringContaining('(application/pdf, 80,009 bytes)') as unknown,
    })
    const few = Uint8Array.of(1, 2)
    expect(await shown(wrapped, 'read', few)).toEqual({ type: 'json', value: { 0: 1, 1: 2 } })
  })

  it('keeps all other properties of a tool unchanged', () => {
    const symbol = Symbol('own')
    const run = {
      type: 'dynamic',
      description: () => 'a',
      title: 'b',
      inputSchema: schema,
      outputSchema: schema,
      contextSchema: schema,
      needsApproval: () => true,
      strict: true,
      providerOptions: {},
      metadata: {},
      onInputStart() {},
      onInputDelta() {},
      onInputAvailable() {},
      ofTheFuture: {},
      [symbol]: 1,
    }
    const wrapped = offloadTools(loose({ run }), newOffloader())['run'] as unknown as Record<PropertyKey, unknown>
    for (const key of Reflect.ownKeys(run)) expect(wrapped[key]).toBe((run as Record<PropertyKey, unknown>)[key])
    expect(wrapped).not.toHaveProperty('execute')
  })

  it('keeps prototypes and accessors, and calls methods on the original instance', async () => {
    class ReadTool {
      readonly inputSchema = schema
      #log = LOG
      reads = 0
      get description(): string {
        return `has been read ${this.reads} times`
      }
      execute(): string {
        this.reads += 1
        return this.#log
      }
      toModelOutput({ output }: { output: string }): object {
        return { type: 'text', value: output + this.#log }
      }
    }
    const read = new ReadTool()
    const wrapped = offloadTools(loose({ read }), newOffloader())['read'] as unknown as ReadTool
    expect(wrapped).toBeInstanceOf(ReadTool)
    const { execute } = wrapped
    expect((execute as (...given: unknown[]) => unknown)({}, CALL)).toBe(LOG)
    expect(read.description).toBe('has been read 1 times')
    expect(await shown(loose({ wrapped }), 'wrapped', 'a')).toMatchObject({
      value: expect.stringMatching(/^\[Offloaded/),
    })
  })

  it('returns tools unchanged that are wrapped for the same offloader', () => {
    const offloader = newOffloader()
    const wrapped = offloadTools(loose({ run: { inputSchema: schema } }), offloader) as ToolSet
    const again = offloadTools(wrapped, offloader) as ToolSet
    expect(again['run']).toBe(wrapped['run'])
    expect(again[RETRIEVAL_TOOL_NAME]).toBe(retrievalTool(offloader))
  })

  it('rejects tools wrapped for another offloader, for example of another session', () => {
    const offloader = newOffloader()
    const { run } = offloadTools(loose({ run: { inputSchema: schema } }), offloader.forScope('one'))
    expect(() => offloadTools(loose({ run }), offloader.forScope('two'))).toThrow(/^tools\.run is wrapped for another/)
  })

  it('rejects a tool with the name of the retrieval tool', () => {
    const offloader = newOffloader()
    const own = { [RETRIEVAL_TOOL_NAME]: { inputSchema: schema } }
    expect(() => offloadTools(loose(own), offloader)).toThrow(/^tools has retrieve_offloaded_content already.*Rename/)
    const ofAnother = { [RETRIEVAL_TOOL_NAME]: retrievalTool(newOffloader()) }
    expect(() => offloadTools(loose(ofAnother), offloader)).toThrow(TypeError)
  })

  it.each([null, undefined, 'tools', []])('rejects %j as tools', (tools) => {
    expect(() => offloadTools(tools as unknown as ToolSet, newOffloader())).toThrow(/^tools must be an object/)
  })

  it.each([null, undefined, {}, new InMemoryStorage()])('rejects a value that is not an offloader', (offloader) => {
    expect(() => offloadTools({}, offloader as unknown as ContextOffloader)).toThrow(/^offloader must be/)
  })

  it('passes values that are not tools to the SDK', () => {
    const wrapped = offloadTools(loose({ none: undefined, text: 'a' }), newOffloader()) as Record<string, unknown>
    expect([wrapped['none'], wrapped['text']]).toEqual([undefined, 'a'])
  })

  it('leaves tools that the provider runs unchanged', () => {
    const flag = { isProviderExecuted: true }
    const search = { type: 'provider', id: 'fake.search', args: {}, inputSchema: schema, ...(isVersion7 && flag) }
    expect(offloadTools(loose({ search }), newOffloader())['search']).toBe(search)
  })

  it('wraps tools that a provider defines and the program runs', async () => {
    const flag = { isProviderExecuted: false }
    const defined = { type: 'provider', id: 'fake.bash', args: {}, inputSchema: schema, ...(isVersion7 && flag) }
    const tools = { bash: { ...defined, execute: async () => LOG }, ...(isVersion7 && { clientSide: defined }) }
    const wrapped = offloadTools(loose(tools), newOffloader()) as ToolSet
    for (const name of Object.keys(tools)) expect(await shown(wrapped, name, LOG)).toMatchObject({ type: 'text' })
  })

  it.each([
    'text',
    '',
    undefined,
    null,
    0,
    Number.NaN,
    false,
    [undefined, 1],
    { at: new Date(0), none: undefined },
    new Map([[1, 2]]),
  ])('shows the model %o as the SDK does without Spillway', async (output) => {
    const run = tool({ inputSchema: schema, execute: async () => output })
    expect(await seenOutput(offloadTools({ run }, newOffloader()))).toEqual(await seenOutput({ run }))
  })

  it.each([() => 1, Symbol('s'), { toJSON: () => 'own' }, { run: () => 1 }])(
    'shows the model the JSON of %o, even if the SDK fails without Spillway',
    async (output) => {
      const run = { inputSchema: schema, execute: () => output }
      const json = JSON.parse(JSON.stringify(output) ?? 'null') as unknown
      expect(await shown(offloadTools(loose({ run }), newOffloader()), 'run', output)).toEqual({
        type: 'json',
        value: json,
      })
    },
  )

  it('wraps dynamic tools', async () => {
    const run = dynamicTool({ inputSchema: schema, execute: async () => LOG })
    const seen = JSON.stringify(await seenOutput(offloadTools({ run }, newOffloader())))
    expect(seen).toContain('[Offloaded: 1 block')
    expect(seen.length).toBeLessThan(10_000)
  })

  it('shows a saved message as in the run, and offloads it again', async () => {
    const offloader = newOffloader()
    const tools = offloadTools({ run: tool({ inputSchema: schema, execute: async () => LOG }) }, offloader)
    const part = { type: 'tool-run', toolCallId: 'call_1', state: 'output-available', input: {}, output: LOG }
    const message = { id: '1', role: 'assistant', parts: [part] } as UIMessage
    const first = JSON.stringify(await convertToModelMessages([message], { tools }))
    expect(first).toContain('[Offloaded: 1 block')
    expect(JSON.stringify(await convertToModelMessages([structuredClone(message)], { tools }))).toBe(first)
    expect(offloader.meter().offloaded).toBe(2)
    const live = JSON.stringify(await seenOutput(tools))
    expect(first).toContain(live.slice(live.indexOf('[Offloaded'), live.lastIndexOf(')"')))
  })
})

describe('wrapTool', () => {
  const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}`).join('\n')
  const REPLACED = { type: 'text', value: expect.stringMatching(/^\[Offloaded: /) }

  function wrap(
    tool: AnyTool,
    storage = new InMemoryStorage(),
  ): { tool: Required<AnyTool>; offloader: ContextOffloader } {
    const offloader = new ContextOffloader({ storage })
    return { tool: wrapTool('read', tool, offloader) as Required<AnyTool>, offloader }
  }

  /** A storage whose `store` never settles, and a promise of the first attempt. */
  function hanging(): { readonly storage: InMemoryStorage; readonly storing: Promise<void> } {
    const storage = new InMemoryStorage()
    const { promise, resolve } = Promise.withResolvers<void>()
    storage.store = () => {
      resolve()
      return new Promise(() => {})
    }
    return { storage, storing: promise }
  }

  it('offloads an output once, even if the SDK requests it again', async () => {
    let mapped = 0
    const toModelOutput = ({ output }: { output: unknown }): object => {
      mapped += 1
      return { type: 'text', value: output }
    }
    const { tool, offloader } = wrap({ execute: () => LOG, toModelOutput })
    const input = {}
    const output = tool.execute(input, { toolCallId: 'call_1' })
    const shown = await tool.toModelOutput({ toolCallId: 'call_1', input, output })
    expect(shown).toEqual(REPLACED)
    expect(await tool.toModelOutput({ toolCallId: 'call_1', input, output })).toBe(shown)
    expect([mapped, offloader.meter().results]).toEqual([1, 1])
  })

  it('offloads separately if the output, the call or the input differs', async () => {
    const { tool, offloader } = wrap({ execute: () => LOG })
    const input = {}
    tool.execute(input, { toolCallId: 'call_1' })
    await tool.toModelOutput({ toolCallId: 'call_1', input, output: LOG })
    expect(await tool.toModelOutput({ toolCallId: 'call_1', input, output: 'other' })).toEqual({
      type: 'text',
      value: 'other',
    })
    const ofAnother = await tool.toModelOutput({ toolCallId: 'call_2', input, output: LOG })
    expect(JSON.stringify(ofAnother)).toContain('call_2')
    await tool.toModelOutput({ toolCallId: 'call_1', input: {}, output: LOG })
    expect(offloader.meter().results).toBe(4)
  })

  it.each([undefined, null, 'text', 7])('accepts the input %j', async (input) => {
    const { tool } = wrap({ execute: () => LOG })
    expect(tool.execute(input, { toolCallId: 'call_1' })).toBe(LOG)
    expect(await tool.toModelOutput({ toolCallId: 'call_1', input, output: LOG })).toEqual(REPLACED)
  })

  it('stops storing and shows the original if the call is aborted', async () => {
    const { storage, storing } = hanging()
    const { tool } = wrap({ execute: () => LOG }, storage)
    const [input, controller] = [{}, new AbortController()]
    const output = tool.execute(input, { toolCallId: 'call_1', abortSignal: controller.signal })
    const shown = tool.toModelOutput({ toolCallId: 'call_1', input, output })
    await storing
    controller.abort()
    expect(await shown).toEqual({ type: 'text', value: LOG })
  })

  it("stores a result that arrives in time, even after its tool's timeout", async () => {
    const { tool } = wrap({ execute: () => LOG })
    const [input, controller] = [{}, new AbortController()]
    const output = tool.execute(input, { toolCallId: 'call_1', abortSignal: controller.signal })
    controller.abort(new DOMException('too late', 'TimeoutError'))
    expect(await tool.toModelOutput({ toolCallId: 'call_1', input, output })).toEqual(REPLACED)
  })

  it('tells the model that a tool of an MCP server failed', async () => {
    const toModelOutput = ({ output }: { output: unknown }): unknown => ({
      type: 'content',
      value: (output as { content: unknown }).content,
    })
    const content = [{ type: 'text', text: LOG }]
    const { run } = offloadTools(loose({ run: { inputSchema: schema, toModelOutput } }), newOffloader())
    for (const [isError, expected] of [
      [true, 'The tool failed;'],
      [false, 'The tool result was offloaded'],
    ] as const)
      expect(await run?.toModelOutput?.({ ...CALL, output: { content, isError } })).toMatchObject({
        value: [{ text: expect.stringContaining(expected) }],
      })
  })

  it("rejects if the tool's function rejects", async () => {
    const error = new Error('no')
    const { tool } = wrap({
      toModelOutput: () => {
        throw error
      },
    })
    await expect(tool.toModelOutput({ toolCallId: 'call_1', input: {}, output: LOG })).rejects.toBe(error)
  })

  it('adds no execute to a tool without execute', () => {
    expect('execute' in wrap({}).tool).toBe(false)
  })
})

describe('guardExecute', () => {
  const HUGE = 'the build failed\n'.repeat(1_000)
  const OPTIONS = { toolCallId: 'call_1' }

  class BuildError extends Error {
    readonly code = 'EBUILD'
  }

  const guard = (execute: Execute): Execute =>
    guardExecute(new ContextOffloader({ storage: new InMemoryStorage() }), 'build', execute)

  const caught = async (run: () => unknown): Promise<unknown> => {
    try {
      await run()
    } catch (error) {
      return error
    }
    throw new Error('It did not throw.')
  }

  it.each([undefined, null, 0, '', 'text', { a: 1 }, [1]])(
    'returns the value %j unchanged and synchronously',
    (value) => {
      expect(guard(() => value)({}, OPTIONS)).toBe(value)
    },
  )

  it('returns the value of a thenable even if its method then requires a callback and returns nothing', async () => {
    const rows = (resolve: (value: unknown) => void): void => resolve('rows')
    const query = new Proxy({}, { get: (_target, key) => (key === 'then' ? rows : undefined) })
    expect(await guard(() => query)({}, OPTIONS)).toBe('rows')
  })

  it('passes on the input and the options, and returns the value of a promise', async () => {
    const input = {}
    const seen: unknown[] = []
    const value = {}
    const execute = guard(async (...given) => {
      seen.push(...given)
      return value
    })
    expect(await execute(input, OPTIONS)).toBe(value)
    expect(seen[0]).toBe(input)
    expect(seen[1]).toBe(OPTIONS)
  })

  it.each([
    [
      'at once',
      (error: unknown) => () => {
        throw error
      },
    ],
    [
      'by a promise',
      (error: unknown) => async () => {
        throw error
      },
    ],
  ])(
    'rejects with the same small error, or with a replaced huge error, if it is thrown %s',
    async (_name, throwing) => {
      const small = new BuildError('small')
      expect(await caught(() => guard(throwing(small))({}, OPTIONS))).toBe(small)
      const huge = new BuildError(HUGE)
      const replaced = await caught(() => guard(throwing(huge))({}, OPTIONS))
      expect(replaced).toBeInstanceOf(BuildError)
      expect(replaced).toMatchObject({
        code: 'EBUILD',
        cause: huge,
        message: expect.stringMatching(/^\[Offloaded: /),
      })
    },
  )

  it('keeps a huge error unchanged if the call was aborted', async () => {
    const controller = new AbortController()
    const huge = new BuildError(HUGE)
    const execute = guard(() => {
      controller.abort()
      throw huge
    })
    expect(await caught(() => execute({}, { ...OPTIONS, abortSignal: controller.signal }))).toBe(huge)
  })

  it('yields every preliminary result, and replaces the error after them', async () => {
    const execute = guard(async function* () {
      yield 1
      yield 2
      throw new BuildError(HUGE)
    })
    const results = execute({}, OPTIONS) as AsyncIterable<unknown>
    const seen: unknown[] = []
    const error = await caught(async () => {
      for await (const result of results) seen.push(result)
    })
    expect(seen).toEqual([1, 2])
    expect(error).toMatchObject({ message: expect.stringMatching(/^\[Offloaded: /) })
  })

  it('starts a generator when a result is first requested, and can end it early', async () => {
    const steps: string[] = []
    const execute = guard(async function* () {
      steps.push('started')
      try {
        yield 1
        yield 2
      } finally {
        steps.push('ended')
      }
    })
    const results = execute({}, OPTIONS) as AsyncIterable<unknown>
    expect(steps).toEqual([])
    for await (const result of results) if (result === 1) break
    expect(steps).toEqual(['started', 'ended'])
  })
})
