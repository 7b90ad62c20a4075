import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { offloadTools } from './offload-tools.ts'
import { retrievalTool } from './retrieval-tool.ts'

const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
const read = betaTool({ name: 'read', description: 'Read.', inputSchema: { type: 'object' }, run: () => 'small' })
const search = { type: 'web_search_20250305', name: 'web_search' } as const
const definition = { name: 'ask', input_schema: { type: 'object' } } as const

describe('offloadTools', () => {
  it('returns the tools in their order, and the retrieval tool behind them', () => {
    const tools = offloadTools([read, search, definition], offloader)
    expect(tools.map(({ name }) => name)).toEqual(['read', 'web_search', 'ask', RETRIEVAL_TOOL_NAME])
    expect(JSON.stringify(tools.slice(0, 3))).toBe(JSON.stringify([read, search, definition]))
  })

  it('leaves tools that are not run here as they are, and changes nothing of what is passed in', () => {
    const tools = Object.freeze([read, search, definition] as const)
    const before = read.run
    const wrapped = offloadTools(tools, offloader)
    expect(wrapped[1]).toBe(search)
    expect(wrapped[2]).toBe(definition)
    expect(read.run).toBe(before)
    expect(wrapped[0].run).not.toBe(before)
  })

  it('adds no retrieval tool where the offloader has none', () => {
    const options = { storage: new FileStorage('.'), includeRetrievalTool: false }
    expect(offloadTools([read], new ContextOffloader(options))).toHaveLength(1)
  })

  it('leaves what is no tool to the SDK', () => {
    const odd = [null, undefined, 'read', {}] as unknown as []
    expect(offloadTools(odd, offloader).slice(0, 4)).toEqual(odd)
  })

  it('defines the same retrieval tool each time, byte for byte', () => {
    const again = offloadTools([], offloader)
    expect(JSON.stringify(offloadTools([], offloader))).toBe(JSON.stringify(again))
  })

  it('refuses tools that are wrapped already, or have its name', () => {
    const wrapped = offloadTools([read], offloader)
    const already = new TypeError(`tools has ${RETRIEVAL_TOOL_NAME} already. Pass tools that are not wrapped yet.`)
    expect(() => offloadTools(wrapped, offloader)).toThrow(already)
    expect(() => offloadTools([retrievalTool(offloader)], offloader)).toThrow(already)
    expect(() => offloadTools([{ ...definition, name: RETRIEVAL_TOOL_NAME }], offloader)).toThrow(already)
  })

  it.each<[unknown, unknown, RegExp]>([
    [[], {}, /^offloader must be a ContextOffloader, got object: offloadTools\(tools, /],
    [offloader, [], /^offloader must be a ContextOffloader/],
    [{ read }, offloader, /^tools must be an array of tools, got object\.$/],
    [undefined, offloader, /^tools must be an array of tools, got undefined\.$/],
  ])('refuses %o with %o', (tools, one, message) => {
    expect(() => offloadTools(tools as [], one as ContextOffloader)).toThrow(message)
  })
})
