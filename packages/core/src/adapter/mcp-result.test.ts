import { expect, it } from 'vitest'
import { readMcpResult } from './mcp-result.ts'

const TEXT = { type: 'text', text: 'two users' }
const IMAGE = { type: 'image', data: 'AQID', mimeType: 'image/png' }

it('reads the parts of a result, as the very objects', () => {
  const result = readMcpResult({ content: [TEXT, IMAGE], _meta: { took: 7 } })
  expect(result).toEqual({ parts: [TEXT, IMAGE], isError: false })
  expect(result?.parts[1]).toBe(IMAGE)
})

it('reads an error', () => {
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
])('takes %o for a value', (value) => {
  expect(readMcpResult(value)).toBeUndefined()
})
