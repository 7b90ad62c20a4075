import { expect, it } from 'vitest'
import { outputForm } from './output-form.ts'

const PNG = 'iVBORw0KGgo='
const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const image = { type: 'image', mediaType: 'image/png', data: bytes }

it.each<[what: string, output: unknown, block: object]>([
  ['text', 'two users', { type: 'text', text: 'two users' }],
  ['a value', { users: 2 }, { type: 'json', value: { users: 2 } }],
  ['null', null, { type: 'json', value: null }],
  ['false', false, { type: 'json', value: false }],
  ['an array', ['error'], { type: 'json', value: ['error'] }],
  ['a data: URL', `data:image/png;base64,${PNG}`, image],
  ['a medium', { url: `data:image/png;base64,${PNG}`, contentType: 'image/png' }, image],
  ['an image of MCP', { type: 'image', data: PNG, mimeType: 'image/png' }, image],
  [
    'a resource of MCP',
    { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: '# A' } },
    { type: 'text', text: '# A', name: 'file:///a.md', mediaType: 'text/markdown' },
  ],
])('reads %s as one block, and replaces it as a whole', (_what, output, block) => {
  const { values, toBlock, isError, replace } = outputForm(output)
  expect(values).toEqual([output])
  expect(toBlock(values[0])).toMatchObject(block)
  expect(isError).toBe(false)
  expect(replace('the preview', [])).toBe('the preview')
})

it.each<[what: string, output: unknown]>([
  ['a data: URL that is not Base64', 'data:image/png;base64,not base64!'],
  ['text that speaks of one', `see data:image/png;base64,${PNG}`],
])('takes %s for what it is', (_what, output) => {
  expect(outputForm(output).toBlock(output)).not.toHaveProperty('data')
})

it.each<[what: string, output: unknown]>([
  ['a medium by URL', { url: 'https://example.com/a.png', contentType: 'image/png' }],
  ['a medium with more beside it', { url: `data:image/png;base64,${PNG}`, caption: 'a chart' }],
  ['an image of MCP with more beside it', { type: 'image', data: PNG, mimeType: 'image/png', caption: 'a chart' }],
  ['a resource of MCP with more beside it', { type: 'resource', resource: { uri: 'a', text: 'a', _meta: {} } }],
  ['a resource of something else', { type: 'resource' }],
  ['an image without data', { type: 'image', source: 'a.png' }],
  ['an error with more beside it', { error: 'no such file', code: 404 }],
  ['an error that is no text', { error: { code: 404 } }],
  ['the content of something else', { content: [{ type: 'text', text: 'a' }], rows: 2 }],
])('takes %s for a value, so that nothing is lost', (_what, output) => {
  const { toBlock, isError } = outputForm(output)
  expect(toBlock(output)).toEqual({ type: 'json', value: output })
  expect(isError).toBe(false)
})

it('reads no output as nothing', () => {
  const { values, replace } = outputForm(undefined)
  expect(values).toEqual([])
  expect(replace('the preview', [])).toBe('the preview')
})

it('knows an error, and writes one', () => {
  const { values, toBlock, isError, replace } = outputForm({ error: 'no such file' })
  expect(values.map(toBlock)).toEqual([{ type: 'text', text: 'no such file' }])
  expect(isError).toBe(true)
  expect(replace('the preview', [])).toEqual({ error: 'the preview' })
})

it.each<unknown>(['two users', { users: 2 }, { error: 'no such file' }])(
  'keeps %j beside the replacement',
  (output) => {
    const { values, replace } = outputForm(output)
    expect(replace('the preview', values)).toEqual({ offloaded: 'the preview', output })
  },
)

it('reads what an MCP server returned, and keeps its form', () => {
  const part = { type: 'image', data: PNG, mimeType: 'image/png' }
  const output = { content: [{ type: 'text', text: 'a chart' }, part], isError: true, _meta: { took: 7 } }
  const { values, toBlock, isError, replace } = outputForm(output)
  expect(values.map(toBlock)).toMatchObject([{ type: 'text', text: 'a chart' }, image])
  expect(isError).toBe(true)
  const replaced = replace('the preview', [part]) as typeof output
  expect(replaced).toEqual({ ...output, content: [{ type: 'text', text: 'the preview' }, part] })
  expect(replaced.content[1]).toBe(part)
})
