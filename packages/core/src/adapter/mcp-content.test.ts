import type { ContentBlock } from '@spillway/text/internal'
import { describe, expect, it } from 'vitest'
import { mcpModelOutput, readMcpPart, readMcpResult, writeMcpPart } from './mcp-content.ts'

const data = new Uint8Array([1, 2, 3])

const BASE64 = 'AQID'

it.each<[object, ContentBlock]>([
  [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'a' },
  ],
  [
    { type: 'image', data: BASE64, mimeType: 'image/png' },
    { type: 'image', mediaType: 'image/png', data },
  ],
  [
    { type: 'audio', data: BASE64, mimeType: 'audio/wav' },
    { type: 'audio', mediaType: 'audio/wav', data },
  ],
  [
    { type: 'resource', resource: { uri: 'file:///a.html', mimeType: 'text/html', text: 'a' } },
    { type: 'text', text: 'a', name: 'file:///a.html', mediaType: 'text/html' },
  ],
  [
    { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: BASE64 } },
    { type: 'document', mediaType: 'application/pdf', name: 'file:///a.pdf', data },
  ],
  [
    { type: 'resource_link', uri: 'https://example.com/a', name: 'a' },
    { type: 'link', url: 'https://example.com/a', name: 'a' },
  ],
])('MCP content is read from %o', (part, block) => {
  expect(readMcpPart(part)).toEqual(block)
})

it.each([
  [undefined],
  [null],
  ['text'],
  [7],
  [{}],
  [{ type: 'text' }],
  [{ type: 'text', text: 7 }],
  [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }],
  [{ type: 'image', mimeType: 'image/png' }],
  [{ type: 'resource' }],
  [{ type: 'resource', resource: { uri: 'file:///a' } }],
  [{ type: 'resource_link' }],
  [{ type: 'of_the_future', text: 'a' }],
])('MCP content passes %o through unchanged', (part) => {
  expect(readMcpPart(part)).toEqual({ type: 'unknown', value: part })
})

it.each<[ContentBlock, object]>([
  [
    { type: 'json', value: [1] },
    { type: 'text', text: '[1]' },
  ],
  [
    { type: 'unknown', value: undefined },
    { type: 'text', text: 'null' },
  ],
  [
    { type: 'link', url: 'https://example.com/a' },
    { type: 'text', text: 'https://example.com/a' },
  ],
  [
    { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' },
    { type: 'text', text: 'https://example.com/a.png' },
  ],
  [
    { type: 'document', mediaType: 'application/pdf', name: 'a b.pdf', data },
    { type: 'resource', resource: { uri: 'file:///a%20b.pdf', mimeType: 'application/pdf', blob: BASE64 } },
  ],
])('MCP content is written from %o', (block, part) => {
  expect(writeMcpPart(block)).toEqual(part)
})

it.each<ContentBlock>([
  { type: 'text', text: 'a' },
  { type: 'image', mediaType: 'image/png', data },
  { type: 'audio', mediaType: 'audio/wav', data },
])('MCP content of type $type can be read back', (block) => {
  expect(readMcpPart(writeMcpPart(block))).toEqual(block)
})

const TEXT = { type: 'text', text: 'two users' }

const IMAGE = { type: 'image', data: 'AQID', mimeType: 'image/png' }

it('parts of an MCP result that was read are the same objects', () => {
  const result = readMcpResult({ content: [TEXT, IMAGE], _meta: { took: 7 } })
  expect(result).toEqual({ parts: [TEXT, IMAGE], isError: false })
  expect(result?.parts[1]).toBe(IMAGE)
})

it('an MCP error is read as an error', () => {
  expect(readMcpResult({ content: [TEXT], isError: true })).toEqual({ parts: [TEXT], isError: true })
})

it.each([
  [undefined],
  [null],
  ['text'],
  [[TEXT]],
  [{ content: 'text' }],
  [{ content: [] }],
  [{ content: [TEXT, 'text'] }],
  [{ content: [{ type: 'search_result', source: 'a' }] }],
  [{ content: [TEXT], structuredContent: { users: 2 } }],
  [{ content: [TEXT], rows: 2 }],
])('%o is read as a plain value', (value) => {
  expect(readMcpResult(value)).toBeUndefined()
})

describe('an MCP result written as a model output', () => {
  const IMAGE = { type: 'image', data: 'aGk=', mimeType: 'image/png' }

  const SHOWN_IMAGE = { type: 'image-data', data: 'aGk=', mediaType: 'image/png' }

  it('is one text if it has one text, and marks an error', () => {
    expect(mcpModelOutput({ content: [TEXT], _meta: {} }, 'file-data')).toEqual({ type: 'text', value: 'two users' })
    const failed = { content: [TEXT, TEXT], isError: true }
    expect(mcpModelOutput(failed, 'file-data')).toEqual({ type: 'error-text', value: 'two users\ntwo users' })
  })

  it('keeps several parts separate, with media in the requested form', () => {
    const result = { content: [TEXT, IMAGE], isError: false }
    expect(mcpModelOutput(result, 'file-data')).toEqual({ type: 'content', value: [TEXT, SHOWN_IMAGE] })
    const media = { type: 'media', data: 'aGk=', mediaType: 'image/png' }
    expect(mcpModelOutput({ content: [IMAGE] }, 'media')).toEqual({ type: 'content', value: [media] })
  })

  it('keeps the name and type of a resource, even of a single resource', () => {
    const resource = {
      type: 'resource',
      resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: 'two users' },
    }
    const part = { type: 'text', text: 'two users', mediaType: 'text/markdown', filename: 'file:///a.md' }
    expect(mcpModelOutput({ content: [resource] }, 'media')).toEqual({ type: 'content', value: [part] })
    expect(mcpModelOutput({ content: [resource, TEXT] }, 'media')).toEqual({ type: 'content', value: [part, TEXT] })
  })

  it('has structured content after the parts, indented', () => {
    expect(mcpModelOutput({ content: [TEXT], structuredContent: { users: 2 } }, 'file-data')).toEqual({
      type: 'content',
      value: [TEXT, { type: 'text', text: '{\n  "users": 2\n}' }],
    })
  })

  const circular: Record<string, unknown> = {}

  circular['self'] = circular

  let deep: unknown[] = []

  for (let depth = 0; depth < 200_000; depth += 1) deep = [deep]

  it.each([
    ['nothing', undefined],
    ['a text', 'text'],
    ['a list', [TEXT]],
    ['content beside another field', { content: [TEXT], page: 1 }],
    ['an unknown part', { content: [{ type: 'search_result' }], structuredContent: {} }],
    ['circular structured content', { content: [TEXT], structuredContent: circular }],
    ['structured content that is nested too deeply', { content: [TEXT], structuredContent: deep }],
    ['structured content that JSON cannot express', { content: [TEXT], structuredContent: () => 7 }],
  ])('is a plain value if it is %s', (_name, value) => {
    expect(mcpModelOutput(value, 'file-data')).toBeUndefined()
  })
})
