import { describe, expect, it } from 'vitest'
import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import { anthropicMessages } from './anthropic-messages.ts'

const format = anthropicMessages()

const mark = { cache_control: { type: 'ephemeral' } }

const use = (id: string, more: object = {}): object => ({
  type: 'tool_use',
  id,
  name: 'read',
  input: { path: 'a' },
  ...more,
})

const shorten = (messages: readonly HistoryMessage[]): HistoryMessage[] =>
  messages.map((message) => ({
    ...message,
    parts: message.parts.map((part): HistoryPart =>
      part.type === 'tool-result' ? { ...part, content: [{ type: 'text', text: 'short' }] } : part,
    ),
  }))

describe('anthropicMessages', () => {
  it('reads tool results as results, and a text in the same message as a user message', () => {
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'long' }
    const messages = format.read({
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [
        { role: 'user', content: 'Why?' },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'Eq' }, use('a')] },
        { role: 'user', content: [result] },
        { role: 'user', content: [result, { type: 'text', text: 'go on' }] },
      ],
    })
    expect(messages.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ['system', 'text'],
      ['user', 'text'],
      ['assistant', 'reasoning', 'tool-call'],
      ['tool', 'tool-result'],
      ['user', 'tool-result', 'text'],
    ])
    expect(messages[3]?.parts[0]).toMatchObject({ callId: 'a', toolName: 'read' })
  })

  it('shortens results of every kind, and keeps their other fields', () => {
    const results = [
      { type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'long', ...mark },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        content: [
          { type: 'text', text: 'long', ...mark },
          { type: 'text', text: 'and long' },
        ],
      },
      { tool_use_id: 'c', type: 'tool_result' },
      {
        type: 'tool_result',
        tool_use_id: 'd',
        content: [{ type: 'search_result', source: 's', title: 't', content: [] }],
      },
    ]
    const written = format.write(shorten(format.read({ messages: [{ role: 'user', content: results }] })))
    expect(written).toStrictEqual({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'short', ...mark },
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'short', ...mark }] },
            { tool_use_id: 'c', type: 'tool_result', content: 'short' },
            { type: 'tool_result', tool_use_id: 'd', content: [{ type: 'text', text: 'short' }] },
          ],
        },
      ],
    })
  })

  it('restores search results to the same values', () => {
    const found = { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }] }
    const conversation = {
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [found] }] }],
    }
    const [message] = shorten(format.read(conversation))
    const [part] = message!.parts
    const restored = { ...part, content: [{ type: 'json', value: structuredClone(found) }] } as HistoryPart
    expect(format.write([{ ...message!, parts: [restored] }])).toStrictEqual(conversation)
  })

  it('reads a plain text document as text', () => {
    const document = { type: 'document', title: 'notes', source: { type: 'text', media_type: 'text/plain', data: 'a' } }
    const [message] = format.read({ messages: [{ role: 'user', content: [document] }] })
    const [part] = message!.parts
    expect(part).toMatchObject({ type: 'text', text: 'a' })
    const changed = { ...message!, parts: [{ ...part, text: 'b' } as HistoryPart] }
    expect(format.write([changed]).messages).toEqual([
      { role: 'user', content: [{ ...document, source: { type: 'text', media_type: 'text/plain', data: 'b' } }] },
    ])
  })

  it('does not change tool results of the provider, and results that only a program reads', () => {
    const blocks = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'mcp_tool_result', tool_use_id: 's', content: [] },
      { type: 'compaction', content: 'a summary' },
      use('p', { caller: { type: 'code_execution_20250825', tool_id: 's' } }),
    ]
    const result = { type: 'tool_result', tool_use_id: 'p', content: [{ type: 'text', text: 'long' }] }
    const conversation = {
      messages: [
        { role: 'assistant', content: blocks },
        { role: 'user', content: [result] },
      ],
    }
    const messages = format.read(conversation)
    expect(messages[0]?.parts.map(({ type }) => type)).toEqual(['opaque', 'opaque', 'opaque', 'tool-call'])
    expect(messages[1]?.parts[0]).toMatchObject({ content: [{ type: 'opaque' }] })
    const copies = messages.map((message) => ({ ...message, parts: message.parts.map((part) => ({ ...part })) }))
    expect(format.write(copies)).toStrictEqual(conversation)
  })

  it('joins system messages of other formats with the system prompt', () => {
    const snapshot: HistoryMessage = { role: 'system', parts: [{ type: 'text', text: '<state_snapshot>' }] }
    const messages = [{ role: 'user', content: 'Why?' }]
    const system = [{ type: 'text', text: 'Be brief.', ...mark }]
    expect(format.write([...format.read({ system: 'Be brief.', messages }), snapshot]).system).toBe(
      'Be brief.\n\n<state_snapshot>',
    )
    expect(format.write([...format.read({ system, messages }), snapshot]).system).toEqual([
      ...system,
      { type: 'text', text: '<state_snapshot>' },
    ])
    expect(format.write(format.read({ messages }))).toStrictEqual({ messages })
  })

  it.each([
    [[], 'The conversation must be an object with `messages`, not an array.'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content must be a string or an array, not undefined.'],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use' }] }] },
      'messages[0].content[0].id must be a string, not undefined.',
    ],
    [{ system: 7, messages: [] }, 'system must be a string or an array, not a number.'],
  ])('rejects %j', (conversation, error) => {
    expect(() => format.read(conversation as never)).toThrow(new TypeError(error))
  })
})
