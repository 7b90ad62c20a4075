import { expect, it } from 'vitest'
import { mcpModelOutput } from './mcp-model-output.ts'

const TEXT = { type: 'text', text: 'two users' }
const IMAGE = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
const SHOWN_IMAGE = { type: 'image-data', data: 'aGk=', mediaType: 'image/png' }

it('writes one text as text, and marks an error', () => {
  expect(mcpModelOutput({ content: [TEXT], _meta: {} }, 'file-data')).toEqual({ type: 'text', value: 'two users' })
  const failed = { content: [TEXT, TEXT], isError: true }
  expect(mcpModelOutput(failed, 'file-data')).toEqual({ type: 'error-text', value: 'two users\ntwo users' })
})

it('keeps several parts apart, media in the form that is asked for', () => {
  const result = { content: [TEXT, IMAGE], isError: false }
  expect(mcpModelOutput(result, 'file-data')).toEqual({ type: 'content', value: [TEXT, SHOWN_IMAGE] })
  const media = { type: 'media', data: 'aGk=', mediaType: 'image/png' }
  expect(mcpModelOutput({ content: [IMAGE] }, 'media')).toEqual({ type: 'content', value: [media] })
})

it('keeps the name and the type of a resource, also of one alone', () => {
  const resource = { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: 'two users' } }
  const part = { type: 'text', text: 'two users', mediaType: 'text/markdown', filename: 'file:///a.md' }
  expect(mcpModelOutput({ content: [resource] }, 'media')).toEqual({ type: 'content', value: [part] })
  expect(mcpModelOutput({ content: [resource, TEXT] }, 'media')).toEqual({ type: 'content', value: [part, TEXT] })
})

it('writes structured content behind them, indented', () => {
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
  ['content of something else', { content: [TEXT], page: 1 }],
  ['parts that are not known', { content: [{ type: 'search_result' }], structuredContent: {} }],
  ['structured content that goes in circles', { content: [TEXT], structuredContent: circular }],
  ['structured content that is too deep', { content: [TEXT], structuredContent: deep }],
  ['structured content that JSON does not have', { content: [TEXT], structuredContent: () => 7 }],
])('takes %s for a value', (_name, value) => {
  expect(mcpModelOutput(value, 'file-data')).toBeUndefined()
})
