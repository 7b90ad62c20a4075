import { Buffer } from 'node:buffer'
import * as agents from '@openai/agents'
import { Agent, Runner, type FunctionTool, type RunContext, type Tool } from '@openai/agents'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, lastText, LOG, makeAgent, makeTool, newOffloader, OFFLOADED, referenceIn } from '../test/ask.ts'
import { isOldest } from '../test/version.ts'
import { offloadTools, readOutput } from './offload-tools.ts'

const RETRIEVAL = 'retrieve_offloaded_content'

const runPlain = (agent: Agent) => new Runner().run(agent, 'Go.')

/** Run an agent with these tools without `offloadRunner`. The agent calls the first tool. */
async function callFirst(
  tools: readonly Tool[],
  options: Parameters<typeof makeAgent>[1] = {},
  input: unknown = {},
): Promise<{ readonly shown: string; readonly result: Awaited<ReturnType<typeof runPlain>> }> {
  const { agent, prompts } = makeAgent([calling(tools[0]?.name ?? '', 'call_1', input)], {
    tools: [...tools],
    ...options,
  })
  const result = await runPlain(agent)
  return { shown: lastText(prompts), result }
}

describe('results for the model', () => {
  it.each<[string, () => unknown]>([
    ['a text', () => LOG],
    ['a value', () => ({ rows: LOG.split('\n') })],
    ['a single part of text', () => ({ type: 'text', text: LOG })],
  ])('have a preview and a reference in place of %s that is too large', async (_what, execute) => {
    const { offloader } = newOffloader()
    const { shown, result } = await callFirst(offloadTools([makeTool('read_log', execute)], offloader))
    expect(shown).toMatch(/^\[Offloaded: 1 block/)
    expect(JSON.stringify(result.history).length).toBeLessThan(8_000)
    expect(JSON.stringify(result.state).length).toBeLessThan(50_000)
  })

  it('are stored indented if they are values, and unchanged if they are texts', async () => {
    const { offloader } = newOffloader()
    const value = { rows: LOG.split('\n') }
    const [text, json] = [makeTool('read_log', () => LOG), makeTool('list_rows', () => value)]
    for (const [one, expected, contentType] of [
      [text, LOG, 'text/plain'],
      [json, JSON.stringify(value, undefined, 2), 'application/json'],
    ] as const) {
      const { shown } = await callFirst(offloadTools([one], offloader))
      const stored = await offloader.options.storage.retrieve(referenceIn(shown))
      expect(new TextDecoder().decode(stored.content)).toBe(expected)
      expect(stored.contentType).toBe(contentType)
    }
  })

  it('are unchanged if they are small', async () => {
    const { offloader, events } = newOffloader()
    const { shown, result } = await callFirst(offloadTools([makeTool('read_log', () => 'all is well')], offloader))
    expect(shown).toBe('all is well')
    expect(result.toolOutputGuardrailResults).toMatchObject([
      { guardrail: { name: 'spillway_offload' }, output: { behavior: { type: 'allow' } } },
    ])
    expect(events).toEqual([])
  })

  it('have the scope of the context even without offloadRunner', async () => {
    const { offloader } = newOffloader()
    const scope = ({ context }: { readonly context: unknown }): string[] => [(context as { tenant: string }).tenant]
    const { agent, prompts } = makeAgent([calling('read_log')], {
      tools: offloadTools([makeTool('read_log', () => LOG)], offloader, { scope }),
    })
    await new Runner().run(agent, 'Go.', { context: { tenant: 'one' } })
    const reference = referenceIn(lastText(prompts))
    await expect(offloader.forScope('one').options.storage.retrieve(reference)).resolves.toBeDefined()
    await expect(offloader.forScope('two').options.storage.retrieve(reference)).rejects.toThrow(reference)
  })

  it.each<[string, NonNullable<Parameters<typeof makeAgent>[1]>['toolUseBehavior']]>([
    ['the first tool', 'stop_on_first_tool'],
    ['a tool by its name', { stopAtToolNames: ['read_log'] }],
  ])('are unchanged if they end the run, with %s', async (_what, toolUseBehavior) => {
    const { offloader } = newOffloader()
    const tools = offloadTools([makeTool('read_log', () => LOG)], offloader)
    const { result } = await callFirst(tools, { toolUseBehavior: toolUseBehavior ?? 'run_llm_again' })
    expect(result.finalOutput).toBe(LOG)
    const others = { stopAtToolNames: ['another'] }
    expect((await callFirst(tools, { toolUseBehavior: others })).shown).toContain(OFFLOADED)
  })

  it('are unchanged for a program of the provider', async () => {
    const { offloader } = newOffloader()
    const [wrapped] = offloadTools([makeTool('read_log', () => LOG)], offloader)
    const toolCall = { type: 'function_call', callId: 'c', name: 'read_log', arguments: '{}' } as const
    const run = async (caller: object): Promise<unknown> =>
      wrapped.outputGuardrails?.[0]?.run({
        context: new agents.RunContext(),
        agent: new Agent({ name: 'Agent' }),
        toolCall: { ...toolCall, ...caller } as never,
        output: LOG,
      })
    expect(await run({ caller: { type: 'program', callerId: 'p' } })).toMatchObject({ behavior: { type: 'allow' } })
    expect(await run({ caller: { type: 'direct' } })).toMatchObject({ behavior: { type: 'rejectContent' } })
    expect(await run({})).toMatchObject({ behavior: { type: 'rejectContent' } })
  })

  it("include the program's own message of an error, which is offloaded", async () => {
    const { offloader } = newOffloader()
    const fail = (): never => {
      throw new Error(LOG)
    }
    const told = makeTool('build', fail, { errorFunction: (_context: unknown, error: unknown) => String(error) })
    expect((await callFirst(offloadTools([told], offloader))).shown).toMatch(
      /^\[Offloaded: 1 block[^]*line 3000 of the log/,
    )
    // Older versions of the SDK show the message themselves.
    const silent = makeTool('build', fail)
    expect((await callFirst(offloadTools([silent], offloader))).shown.length).toBeLessThan(8_000)
  })
})

describe('properties of a tool', () => {
  it('include approval policies, which get the same values', async () => {
    const seen: unknown[] = []
    const make = (): FunctionTool =>
      makeTool('deploy', () => LOG, {
        parameters: z.object({ to: z.string().nullable().default('staging') }),
        needsApproval: async (_context: RunContext, input: unknown) => {
          seen.push(input)
          return false
        },
      })
    const { offloader } = newOffloader()
    await callFirst([make()], {}, { to: null })
    const { shown } = await callFirst(offloadTools([make()], offloader), {}, { to: null })
    expect(shown).toContain(OFFLOADED)
    expect(seen).toHaveLength(2)
    expect(seen[1]).toEqual(seen[0])
    if (isOldest) return
    await callFirst([make()])
    await callFirst(offloadTools([make()], offloader))
    expect(seen.slice(2)).toEqual([{ to: 'staging' }, { to: 'staging' }])
  })

  it('include the function by which the SDK identifies a tool', () => {
    const { offloader } = newOffloader()
    const mark = Symbol('mark')
    const plain = Object.defineProperty(
      makeTool('read_log', () => LOG),
      mark,
      { value: 7, enumerable: false },
    )
    const [wrapped] = offloadTools([plain], offloader)
    expect(wrapped).not.toBe(plain)
    expect(wrapped.invoke).toBe(plain.invoke)
    const { outputGuardrails, ...rest } = wrapped
    const { outputGuardrails: before, ...restBefore } = plain
    expect(rest).toEqual(restBefore)
    expect(outputGuardrails).toHaveLength(1)
    expect(before ?? []).toEqual([])
    expect(Reflect.get(wrapped, mark)).toBe(7)
  })

  it.skipIf(isOldest)('include the namespace of a tool', () => {
    const { offloader } = newOffloader()
    const [plain] = agents.toolNamespace({ name: 'logs', description: 'Logs.', tools: [makeTool('read', () => LOG)] })
    const [wrapped] = offloadTools([plain as FunctionTool], offloader)
    const symbols = Object.getOwnPropertySymbols(plain)
    expect(symbols.length).toBeGreaterThan(0)
    for (const symbol of symbols) expect(Reflect.get(wrapped, symbol)).toBe(Reflect.get(plain as object, symbol))
  })

  it("keep the tool's own guardrails, which run first, and their results", async () => {
    const { offloader } = newOffloader()
    const { defineToolOutputGuardrail, ToolGuardrailFunctionOutputFactory: made } = agents
    const hide = defineToolOutputGuardrail({ name: 'hide', run: async () => made.rejectContent('hidden') })
    const refuse = defineToolOutputGuardrail({ name: 'refuse', run: async () => made.throwException() })
    const watch = defineToolOutputGuardrail({ name: 'watch', run: async () => made.allow() })
    const guarded = (outputGuardrails: unknown[]): Tool[] =>
      offloadTools([makeTool('read_log', () => LOG, { outputGuardrails } as object)], offloader)
    expect((await callFirst(guarded([hide]))).shown).toBe('hidden')
    expect((await callFirst(guarded([watch]))).shown).toContain(OFFLOADED)
    await expect(callFirst(guarded([refuse]))).rejects.toThrow(/guardrail/i)
  })

  it('are unchanged for other tools, agents as tools, and functions with an output schema', () => {
    const { offloader } = newOffloader()
    const hosted = { type: 'hosted_tool', name: 'web_search', providerData: { type: 'web_search' } } as const
    const agent = new Agent({ name: 'Helper' }).asTool({ toolName: 'help', toolDescription: 'Help.' })
    const structured = { ...makeTool('rows', () => 'x'), outputSchema: { type: 'object' } }
    const wrapped = offloadTools([hosted, agent, structured], offloader)
    expect(wrapped.slice(0, 3)).toEqual([hosted, agent, structured])
    for (const [index, one] of [hosted, agent, structured].entries()) expect(wrapped[index]).toBe(one)
  })

  it('are unchanged in the given tools, which may be frozen', async () => {
    const { offloader } = newOffloader()
    const plain = Object.freeze(makeTool('read_log', () => LOG))
    const tools = Object.freeze([plain])
    expect((await callFirst(offloadTools(tools, offloader))).shown).toContain(OFFLOADED)
    expect((await callFirst(tools)).shown).toBe(LOG)
  })
})

describe('the retrieval tool', () => {
  it('comes last, and is missing if the offloader has none', () => {
    const tools = [makeTool('read_log', () => LOG)]
    const names = (...options: Parameters<typeof newOffloader>): string[] =>
      offloadTools(tools, newOffloader(...options).offloader).map(({ name }) => name)
    expect(names()).toEqual(['read_log', RETRIEVAL])
    const located = Object.assign(new InMemoryStorage(), { locate: () => ({ path: '/a' }) })
    expect(names({ storage: located as never, includeRetrievalTool: false })).toEqual(['read_log'])
  })

  it('is refused if the tools already include it', () => {
    const { offloader } = newOffloader()
    expect(() => offloadTools(offloadTools([], offloader), offloader)).toThrow(`tools has ${RETRIEVAL} already`)
  })

  it('rejects invalid arguments', () => {
    const { offloader } = newOffloader()
    const tool = makeTool('read_log', () => LOG)
    expect(() => offloadTools(tool as never, offloader)).toThrow('tools must be an array')
    expect(() => offloadTools([tool], {} as never)).toThrow(/ContextOffloader, got an object: offloadTools\(/)
    expect(() => offloadTools([tool], offloader, { exept: [] } as never)).toThrow('Unknown option "exept"')
  })
})

describe('readOutput', () => {
  const cycle: unknown[] = []
  cycle.push(cycle)

  it.each<[unknown, string]>([
    ['a text', 'a text'],
    ['', ''],
    ['{"a":1}', '{"a":1}'],
    [{ type: 'text', text: 'a part' }, 'a part'],
    [undefined, 'undefined'],
    [null, 'null'],
    [0, '0'],
    [10n, '10'],
    [false, 'false'],
  ])('reads %o as text', (output, text) => {
    expect(readOutput(output)).toEqual({ text, block: { type: 'text', text } })
  })

  it.each<[unknown, unknown]>([
    [{ a: [1, 'two', null] }, { a: [1, 'two', null] }],
    [[], []],
    [{ when: new Date(0), missing: undefined }, { when: '1970-01-01T00:00:00.000Z' }],
    [{ toJSON: () => 'a' }, 'a'],
    [{ type: 'text' }, { type: 'text' }],
    [
      { type: 'text', text: 7 },
      { type: 'text', text: 7 },
    ],
    [
      [{ type: 'file', name: 'a' }, { type: 'file' }],
      [{ type: 'file', name: 'a' }, { type: 'file' }],
    ],
  ])('reads %j as a value', (output, value) => {
    const { text, block } = readOutput(output) ?? expect.fail('It is taken for parts.')
    expect(text).toBe(JSON.stringify(value))
    expect(block.type === 'json' && JSON.stringify(block.value)).toBe(text)
  })

  it.each<[string, unknown]>([
    ['bytes', new Uint8Array(1_000_000)],
    ['a buffer', Buffer.alloc(1_000_000)],
    ['bytes in a value', { data: new Uint8Array(1_000_000).buffer }],
    ['a buffer in a value', { data: Buffer.alloc(100_000) }],
    ['a cycle', cycle],
    [
      'a value that throws',
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
    ],
    ['a BigInt in a value', { n: 1n }],
  ])('summarizes %s in a few words, as the SDK does', (what, output) => {
    const read = readOutput(output)
    expect(read?.text.length).toBeLessThan(400)
    const value = read?.block.type === 'json' ? read.block.value : undefined
    if (/bytes|buffer/.test(what)) expect(JSON.stringify(value).length).toBeLessThan(500)
  })

  it.each<[unknown]>([
    [{ type: 'image', image: 'https://example.com/a.png' }],
    [{ type: 'file', file: { id: 'file_1' } }],
    [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
    [{ type: 'file', fileId: 'file_1' }],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    [[{ type: 'text', text: 'a' }]],
    [{ type: 'text', text: 'a', providerData: { a: 1 } }],
  ])('keeps parts: %j', (output) => {
    expect(readOutput(output)).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['a text', 'a line of a log\n'.repeat(3_000_000)],
    ['a list of texts', ['a line of a log\n'.repeat(3_000_000)]],
    ['bytes', new Uint8Array(48_000_000)],
    ['a part of text', { type: 'text', text: 'a line of a log\n'.repeat(3_000_000) }],
  ])('does not look at each character of %s of 48 MB', (_what, output) => {
    const start = performance.now()
    JSON.stringify(typeof output === 'string' ? output : (Object(output).text ?? (output as unknown[])[0]))
    const once = performance.now() - start
    const startReading = performance.now()
    readOutput(output)
    expect(performance.now() - startReading).toBeLessThan(10 * once + 1_000)
  })
})
