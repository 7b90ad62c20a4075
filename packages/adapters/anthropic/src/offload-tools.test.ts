import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { offloadTools, wrapTool, type AnyTool } from './offload-tools.ts'
import { retrievalTool } from './retrieval-tool.ts'

const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
const read = betaTool({ name: 'read', description: 'Read.', inputSchema: { type: 'object' }, run: () => 'small' })
const search = { type: 'web_search_20250305', name: 'web_search' } as const
const definition = { name: 'ask', input_schema: { type: 'object' } } as const

describe('offloadTools', () => {
  it('returns the tools in order, followed by the retrieval tool', () => {
    const tools = offloadTools([read, search, definition], offloader)
    expect(tools.map(({ name }) => name)).toEqual(['read', 'web_search', 'ask', RETRIEVAL_TOOL_NAME])
    expect(JSON.stringify(tools.slice(0, 3))).toBe(JSON.stringify([read, search, definition]))
  })

  it("keeps the provider's tools, and does not change its arguments", () => {
    const tools = Object.freeze([read, search, definition] as const)
    const before = read.run
    const wrapped = offloadTools(tools, offloader)
    expect(wrapped[1]).toBe(search)
    expect(wrapped[2]).toBe(definition)
    expect(read.run).toBe(before)
    expect(wrapped[0].run).not.toBe(before)
  })

  it('adds no retrieval tool if the offloader has none', () => {
    const options = { storage: new FileStorage('.'), includeRetrievalTool: false }
    expect(offloadTools([read], new ContextOffloader(options))).toHaveLength(1)
  })

  it('passes values that are not tools to the SDK', () => {
    const odd = [null, undefined, 'read', {}] as unknown as []
    expect(offloadTools(odd, offloader).slice(0, 4)).toEqual(odd)
  })

  it('defines the same retrieval tool each time, byte for byte', () => {
    const again = offloadTools([], offloader)
    expect(JSON.stringify(offloadTools([], offloader))).toBe(JSON.stringify(again))
  })

  it("rejects tools that are already wrapped, or have the retrieval tool's name", () => {
    const wrapped = offloadTools([read], offloader)
    const already = /^tools has retrieve_offloaded_content already.*Rename your tool/
    expect(() => offloadTools(wrapped, offloader)).toThrow(already)
    expect(() => offloadTools([retrievalTool(offloader)], offloader)).toThrow(already)
    expect(() => offloadTools([{ ...definition, name: RETRIEVAL_TOOL_NAME }], offloader)).toThrow(already)
  })

  it.each<[unknown, unknown, RegExp]>([
    [[], {}, /^offloader must be a ContextOffloader, got an object: offloadTools\(tools, /],
    [offloader, [], /^offloader must be a ContextOffloader/],
    [{ read }, offloader, /^tools must be an array of tools, got object\.$/],
    [undefined, offloader, /^tools must be an array of tools, got undefined\.$/],
  ])('rejects %o with %o', (tools, one, message) => {
    expect(() => offloadTools(tools as [], one as ContextOffloader)).toThrow(message)
  })
})

describe('wrapTool', () => {
  const LOG = 'a line of a log\n'.repeat(1_000)
  const REPLACED = expect.stringMatching(/^\[Offloaded: /)
  const toolUse = { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } } as const

  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const wrap = <Tool>(tool: Tool): Tool => wrapTool(tool as AnyTool, offloader) as Tool

  /** A toolset with private fields, like the SDK's toolsets. */
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

  it('passes on the arguments of a tool, and replaces its result', async () => {
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

  it('finds the call in the context of every version, as the first or second argument', async () => {
    const run = async (..._parameters: unknown[]): Promise<string> => LOG
    expect(await wrap({ name: 'read', run }).run({}, { toolUseBlock: toolUse })).toEqual(REPLACED)
    expect(await wrap({ type: 'browser_toolset', run }).run({ toolUse }, toolUse)).toEqual(REPLACED)
  })

  it.each([[{}], [{}, undefined], [{}, {}], [undefined, null], []])(
    "returns the tool's own result without a call: run(%j)",
    async (...parameters) => {
      expect(await wrap({ name: 'read', run: async (..._parameters: unknown[]) => LOG }).run(...parameters)).toBe(LOG)
    },
  )

  it('keeps the definition byte for byte, including symbols', () => {
    const mark = Symbol('helper')
    const run = (): string => LOG
    const tool = {
      ...betaTool({ name: 'read', description: 'R', inputSchema: { type: 'object' }, run }),
      [mark]: 'mcp',
    }
    const wrapped = wrap(tool)
    expect(JSON.stringify(wrapped)).toBe(JSON.stringify(tool))
    expect(wrapped[mark]).toBe('mcp')
    expect('run' in wrapped && 'parse' in wrapped).toBe(true)
    expect({ ...wrapped, cache_control: null }.run).toBe(wrapped.run)
    expect(tool.run).toBe(tool.run)
  })

  it('keeps the class and the private fields of a tool', async () => {
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

  it('accepts a frozen tool', async () => {
    const tool = Object.freeze({
      name: 'read',
      run: async (..._parameters: unknown[]) => LOG,
      parse: (input: unknown) => input,
    })
    const wrapped = wrap(tool)
    expect(await wrapped.run({}, { toolUse })).toEqual(REPLACED)
    expect(wrapped.parse(1)).toBe(1)
  })
})
