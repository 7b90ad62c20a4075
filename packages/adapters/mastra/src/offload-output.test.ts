import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import type { ModelOutput } from './model-output.ts'
import { offloadOutput } from './offload-output.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const CALL = { toolName: 'read', toolCallId: 'call_1' }
const IMAGE = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
const text = (value = LOG): object => ({ type: 'text', text: value })
const file = (bytes: number): object => {
  const blob = Buffer.alloc(bytes).toString('base64')
  return { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob } }
}
const replaced = (blocks: number): string =>
  expect.stringMatching(new RegExp(`^\\[Offloaded: ${blocks} block`)) as string

const storage = new InMemoryStorage()
const offloader = new ContextOffloader({ storage })

const shown = async (value: unknown): Promise<ModelOutput> =>
  (await offloadOutput(offloader, CALL, { type: 'json', value })).output

async function stored({ value }: ModelOutput): Promise<{ readonly text: string; readonly contentType: string }> {
  const [, reference = ''] = /^ {2}(\w+) \(/m.exec(String(value)) ?? []
  const { content, contentType } = await storage.retrieve(reference)
  return { text: new TextDecoder().decode(content), contentType }
}

it('stores what an MCP server returned as the text that it is, byte for byte, and not as JSON', async () => {
  const output = await shown({ content: [text()] })
  expect(output).toEqual({ type: 'text', value: replaced(1) })
  expect(await stored(output)).toEqual({ text: LOG, contentType: 'text/plain' })
})

it('keeps the mark of an error of an MCP server', async () => {
  expect(await shown({ content: [text()], isError: true })).toEqual({ type: 'error-text', value: replaced(1) })
  expect(await shown({ content: [text()], isError: false })).toEqual({ type: 'text', value: replaced(1) })
})

it('keeps small parts of an MCP server beside the replacement', async () => {
  expect(await shown({ content: [text(), text('small'), IMAGE] })).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: replaced(1) },
      { type: 'text', text: 'small' },
      { type: 'media', data: 'aGk=', mediaType: 'image/png' },
    ],
  })
})

it.each([
  ['a text', { content: [text('small')] }],
  ['an image, which Mastra shows as such', { content: [{ ...IMAGE, data: Buffer.alloc(300_000).toString('base64') }] }],
  ['a file of a few bytes', { content: [file(100)] }],
  ['a file beside an image, which prompts show as parts', { content: [file(30_000), IMAGE] }],
])('gives back the very object where an MCP server returned %s', async (_what, value) => {
  const output = { type: 'json', value }
  const outcome = await offloadOutput(offloader, CALL, output)
  expect(outcome).toEqual({ output, reason: 'within-limit' })
  expect(outcome.output).toBe(output)
})

it('replaces a file of an MCP server that is small as such, but not as the Base64 that Mastra shows', async () => {
  const value = { content: [text('small'), file(30_000)] }
  const output = await shown(value)
  expect(output).toEqual({ type: 'text', value: replaced(1) })
  expect(JSON.parse((await stored(output)).text)).toEqual(value)
})

it('stores a large file of an MCP server as the file that it is', async () => {
  const output = await shown({ content: [file(300_000)] })
  expect(output).toEqual({ type: 'content', value: [{ type: 'text', text: replaced(1) }] })
  const [part] = output.value as { text: string }[]
  expect(await stored({ type: 'text', value: part?.text })).toMatchObject({ contentType: 'application/pdf' })
})

it.each([{ content: [text()], rows: [1] }, { content: [{ type: 'paragraph', text: LOG }] }, { content: LOG }, [LOG]])(
  'takes a value that only looks like one of an MCP server for a value',
  async (value) => {
    const output = await shown(value)
    expect(output).toEqual({ type: 'text', value: replaced(1) })
    expect(JSON.parse((await stored(output)).text)).toEqual(value)
  },
)
