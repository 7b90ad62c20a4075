import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { wrapTool, type AnyTool } from './wrap-tool.ts'

const LOG = 'a line of a log\n'.repeat(5_000)
const REPLACED = expect.stringMatching(/^\[Offloaded: /)
const toolUse = { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } } as const

const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
const wrap = <Tool>(tool: Tool): Tool => wrapTool(tool as AnyTool, offloader) as Tool

/** Keeps what it knows to itself, as the SDK's toolsets do. */
class Reader {
  readonly type = 'custom'
  readonly name = 'read'
  readonly #log: string
  #isClosed = false

  constructor(log: string) {
    this.#log = log
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  run(_input: unknown, _context?: unknown): unknown {
    return this.#log
  }

  parse(input: unknown): unknown {
    return { input, of: this.#log.length }
  }

  close(): void {
    this.#isClosed = true
  }

  toJSON(): object {
    return { name: this.name, length: this.#log.length }
  }
}

it('hands on what the tool is called with, and replaces what it returns', async () => {
  const seen: unknown[] = []
  const run = async (...parameters: unknown[]): Promise<string> => {
    seen.push(...parameters)
    return LOG
  }
  const [input, context] = [{ path: 'a' }, { toolUse, signal: null }]
  expect(await wrap({ name: 'read', run }).run(input, context)).toEqual(REPLACED)
  expect(seen[0]).toBe(input)
  expect(seen[1]).toBe(context)
})

it('finds the call in the context of every version, first or second', async () => {
  const run = async (..._parameters: unknown[]): Promise<string> => LOG
  expect(await wrap({ name: 'read', run }).run({}, { toolUseBlock: toolUse })).toEqual(REPLACED)
  expect(await wrap({ type: 'browser_toolset', run }).run({ toolUse }, toolUse)).toEqual(REPLACED)
})

it.each([[{}], [{}, undefined], [{}, {}], [undefined, null], []])(
  'returns what it always did without a call: run(%j)',
  async (...parameters) => {
    expect(await wrap({ name: 'read', run: async (..._parameters: unknown[]) => LOG }).run(...parameters)).toBe(LOG)
  },
)

it('keeps the definition, byte for byte, and symbols', () => {
  const mark = Symbol('helper')
  const run = (): string => LOG
  const tool = { ...betaTool({ name: 'read', description: 'R', inputSchema: { type: 'object' }, run }), [mark]: 'mcp' }
  const wrapped = wrap(tool)
  expect(JSON.stringify(wrapped)).toBe(JSON.stringify(tool))
  expect(wrapped[mark]).toBe('mcp')
  expect('run' in wrapped && 'parse' in wrapped).toBe(true)
  expect({ ...wrapped, cache_control: null }.run).toBe(wrapped.run)
  expect(tool.run).toBe(tool.run)
})

it('keeps an instance of a class what it is, with its private fields', async () => {
  const tool = new Reader(LOG)
  const wrapped = wrap(tool)
  expect(wrapped).toBeInstanceOf(Reader)
  expect(wrapped.parse(1)).toEqual({ input: 1, of: LOG.length })
  expect(JSON.stringify(wrapped)).toBe(JSON.stringify(tool))
  expect(await wrapped.run({}, { toolUse })).toEqual(REPLACED)
  wrapped.close()
  expect([wrapped.isClosed, tool.isClosed]).toEqual([true, true])
  expect(tool.run({})).toBe(LOG)
})

it('takes a tool that is frozen', async () => {
  const tool = Object.freeze({
    name: 'read',
    run: async (..._parameters: unknown[]) => LOG,
    parse: (input: unknown) => input,
  })
  const wrapped = wrap(tool)
  expect(await wrapped.run({}, { toolUse })).toEqual(REPLACED)
  expect(wrapped.parse(1)).toBe(1)
})
