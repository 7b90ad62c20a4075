import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseToolName, listRetrievalTool, listServerTool } from './retrieval-listing.ts'

const SIZE = 'anthropic/maxResultSizeChars'
const offloader = (options: object = {}): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage(), ...options })

describe('chooseToolName', () => {
  it('adds a prefix if the name is used, and a number if that name is used, too', () => {
    const taken = new Set<string>()
    const names = Array.from({ length: 4 }, () => {
      const name = chooseToolName(taken)
      taken.add(name)
      return name
    })
    expect(names).toEqual(['', 'spillway_', 'spillway_2_', 'spillway_3_'].map((prefix) => prefix + RETRIEVAL_TOOL_NAME))
  })

  it('never returns a name that is in use', () => {
    const name = fc
      .constantFrom('', 'spillway_', 'spillway_2_', 'spillway_3_')
      .map((prefix) => prefix + RETRIEVAL_TOOL_NAME)
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(name, fc.string())), (names) => {
        expect(names).not.toContain(chooseToolName(new Set(names)))
      }),
    )
  })
})

describe('listRetrievalTool', () => {
  it('lists the tool with its schema as read-only, and tells Claude Code the length of its answers', () => {
    const { retrievalTool, options } = offloader()
    expect(listRetrievalTool(offloader(), 'a_name')).toEqual({
      name: 'a_name',
      title: 'Search offloaded tool results',
      description: retrievalTool.description,
      inputSchema: retrievalTool.inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      _meta: { [SIZE]: options.maxRetrievalTokens * 6 },
    })
  })
})

describe('listServerTool', () => {
  it('returns the same tool if nothing has to change', () => {
    const tool = { name: 'read', inputSchema: { type: 'object' }, _meta: { a: 1 } }
    expect(listServerTool(offloader(), tool)).toBe(tool)
  })

  it('removes only the output schema', () => {
    const tool = { name: 'read', title: 'Read', _meta: { a: 1 }, execution: { taskSupport: 'required' } }
    expect(listServerTool(offloader(), { ...tool, outputSchema: { type: 'object' } })).toEqual(tool)
  })

  it('tells hosts about a limit above their own limit, unless the server has told them', () => {
    const large = offloader({ maxResultTokens: 50_000 })
    expect(listServerTool(large, { name: 'read', _meta: { a: 1 } })).toEqual({
      name: 'read',
      _meta: { a: 1, [SIZE]: 300_000 },
    })
    expect(listServerTool(offloader({ maxResultTokens: 1_000_000 }), { name: 'read' })).toEqual({
      name: 'read',
      _meta: { [SIZE]: 500_000 },
    })
    const told = { name: 'read', _meta: { [SIZE]: 7 } }
    expect(listServerTool(large, told)).toBe(told)
  })
})
