import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { mcpPartsOf } from './offload-mcp-output.ts'
import { offloadOutput } from './offload-output.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const CALL = { toolName: 'read', toolCallId: 'call_1' }
const text = (value = LOG): object => ({ type: 'text', text: value })

const storage = new InMemoryStorage()
const offloader = new ContextOffloader({ storage })

const shown = async (value: unknown): Promise<{ type: string; value?: unknown }> =>
  (await offloadOutput(offloader, CALL, { type: 'json', value })).output

describe('mcpPartsOf', () => {
  it('finds the parts of a result', () => {
    const content = [text('a'), { type: 'image', data: 'aGk=', mimeType: 'image/png' }, { type: 'resource_link' }]
    expect(mcpPartsOf({ content })).toBe(content)
    expect(mcpPartsOf({ content, isError: true, _meta: {} })).toBe(content)
  })

  it.each<unknown>([
    undefined,
    null,
    'content',
    [],
    {},
    { content: 'text' },
    { content: [] },
    { content: ['text'] },
    { content: [null] },
    { content: [{ type: 'paragraph' }] },
    { content: [text('a')], type: 'doc' },
    { content: [text('a')], structuredContent: { rows: [] } },
  ])('finds none in %j', (value) => {
    expect(mcpPartsOf(value)).toBeUndefined()
  })
})

describe('a result of an MCP server', () => {
  it('is offloaded as the text that it has, byte for byte, and not as JSON', async () => {
    const { type, value } = await shown({ content: [text()] })
    expect(type).toBe('text')
    expect(value).toMatch(/^\[Offloaded: 1 block/)
    const [, reference = ''] = /^ {2}(\w+) \(/m.exec(String(value)) ?? []
    const { content, contentType } = await storage.retrieve(reference)
    expect(new TextDecoder().decode(content)).toBe(LOG)
    expect(contentType).toBe('text/plain')
  })

  it('keeps the mark of an error', async () => {
    expect(await shown({ content: [text()], isError: true })).toMatchObject({ type: 'error-text' })
    expect(await shown({ content: [text()], isError: false })).toMatchObject({ type: 'text' })
  })

  it('keeps small parts beside the replacement, as Mastra shows them', async () => {
    const link = { type: 'resource_link', uri: 'https://example.com', name: 'example' }
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
    const { type, value } = await shown({ content: [text(), text('small'), image, link] })
    expect(type).toBe('content')
    expect(value).toEqual([
      { type: 'text', text: expect.stringMatching(/^\[Offloaded: 4 blocks/) as string },
      { type: 'text', text: 'small' },
      { type: 'media', data: 'aGk=', mediaType: 'image/png' },
      { type: 'text', text: JSON.stringify(link) },
    ])
  })

  it('comes back as the very object where it is small', async () => {
    const output = { type: 'json', value: { content: [text('small')] } }
    expect(await offloadOutput(offloader, CALL, output)).toEqual({ output, reason: 'within-limit' })
    expect((await offloadOutput(offloader, CALL, output)).output).toBe(output)
  })
})
