import { describe, expect, it } from 'vitest'
import type { HistoryContent, HistoryMessage, HistoryPart } from '../history-message.ts'
import { aiSdkMessages } from './ai-sdk-messages.ts'

const format = aiSdkMessages()

const options = { providerOptions: { x: { retained: true } } }

const tool = (output: object): object[] => [
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'read', output, ...options }] },
]

/** Write a tool message after replacing the content of its result. */
function withContent(output: object, content: readonly HistoryContent[]): unknown {
  const messages = format.read(tool(output)).map((message) => ({
    ...message,
    parts: message.parts.map((part): HistoryPart => (part.type === 'tool-result' ? { ...part, content } : part)),
  }))
  const [
    {
      content: [part],
    },
  ] = format.write(messages) as [{ content: [{ output: object; providerOptions: object }] }]
  expect(part.providerOptions).toBe(options.providerOptions)
  return part.output
}

const short: HistoryContent = { type: 'text', text: 'short' }

describe('aiSdkMessages', () => {
  it.each([
    [
      { type: 'text', value: 'long', ...options },
      { type: 'text', value: 'short', ...options },
    ],
    [
      { type: 'json', value: { a: 1 } },
      { type: 'text', value: 'short' },
    ],
    [
      { type: 'error-text', value: 'long' },
      { type: 'error-text', value: 'short' },
    ],
    [
      { type: 'error-json', value: [], ...options },
      { type: 'error-text', value: 'short', ...options },
    ],
    [
      { type: 'content', value: [{ type: 'text', text: 'long', ...options }] },
      { type: 'content', value: [{ type: 'text', text: 'short', ...options }] },
    ],
  ])('replaces %j by a text', (before, after) => {
    expect(withContent(before, [short])).toStrictEqual(after)
  })

  it('replaces a text by JSON, and an error result is still an error', () => {
    const json: HistoryContent = { type: 'json', value: { a: 1 } }
    expect(withContent({ type: 'text', value: 'short', ...options }, [json])).toStrictEqual({
      type: 'json',
      value: { a: 1 },
      ...options,
    })
    expect(withContent({ type: 'error-text', value: 'short' }, [json])).toStrictEqual({
      type: 'error-json',
      value: { a: 1 },
    })
  })

  it('writes blocks of several kinds as a list, with media in the format of tool outputs', () => {
    const image: HistoryContent = { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' }
    expect(withContent({ type: 'text', value: 'short' }, [short, image])).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'short' },
        { type: 'image-data', data: 'iVBORw0KGgo=', mediaType: 'image/png' },
      ],
    })
  })

  it('reads bytes, buffers and URLs without copying them', () => {
    const bytes = new Uint8Array([137, 80])
    const content = [
      { type: 'image', image: bytes },
      { type: 'file', data: bytes.buffer, mediaType: 'application/pdf' },
      { type: 'image', image: new URL('https://example.com/a.png') },
      {
        type: 'file',
        data: { type: 'url', url: new URL('https://example.com/a.pdf') },
        mediaType: 'application/pdf',
        filename: 'a',
      },
      { type: 'file', data: { type: 'text', text: 'plain' }, mediaType: 'text/plain' },
      { type: 'file', data: { type: 'reference', reference: {} }, mediaType: 'image/png' },
    ]
    const parts = format.read([{ role: 'user', content }])[0]!.parts
    expect(parts).toMatchObject([
      { type: 'image', mediaType: 'image/*' },
      { type: 'document' },
      { type: 'image', url: 'https://example.com/a.png' },
      { type: 'document', url: 'https://example.com/a.pdf', name: 'a' },
      { type: 'text', text: 'plain' },
      { type: 'opaque' },
    ])
    const [first, second] = parts as unknown as [{ data: Uint8Array }, { data: Uint8Array }]
    expect(first.data).toBe(bytes)
    expect(second.data.buffer).toBe(bytes.buffer)
  })

  it('does not change provider results, approvals and denials', () => {
    const search = { toolCallId: 's', toolName: 'web_search' }
    const messages = format.read([
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', ...search, input: {}, providerExecuted: true },
          { type: 'tool-result', ...search, output: { type: 'json', value: {} } },
          { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: false }] },
      { role: 'tool', content: [{ type: 'tool-result', ...search, output: { type: 'text', value: 'late' } }] },
      ...tool({ type: 'execution-denied', reason: 'no' }),
    ])
    const kinds = messages.map(({ parts }) =>
      parts.map((part) => (part.type === 'tool-result' ? part.content[0]?.type : part.type)),
    )
    expect(kinds).toEqual([['opaque', 'opaque', 'opaque'], ['opaque'], ['opaque'], ['opaque']])
  })

  it('writes a system message as one text', () => {
    const [message] = format.read([{ role: 'system', content: 'Be brief.', ...options }])
    const longer: HistoryMessage = { ...message!, parts: [...message!.parts, short] }
    expect(format.write([longer])).toStrictEqual([{ role: 'system', content: 'Be brief.\n\nshort', ...options }])
  })

  it.each([
    [[{ role: 'user', content: null }], 'messages[0].content must be a string or an array, not null.'],
    [[{ role: 'data', content: '' }], "messages[0].role must be a role of the SDK, not 'data'."],
    [
      [{ role: 'tool', content: [{ type: 'tool-result' }] }],
      'messages[0].content[0].toolCallId must be a string, not undefined.',
    ],
  ])('rejects %j', (messages, error) => {
    expect(() => format.read(messages)).toThrow(new TypeError(error))
  })
})
