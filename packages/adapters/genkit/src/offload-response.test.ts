import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { Part, ToolResponsePart } from 'genkit'
import { expect, it } from 'vitest'
import { offloadResponse } from './offload-response.ts'

const LOG = 'a line of a log\n'.repeat(5_000)
const offloaded = expect.stringMatching(/^\[Offloaded: /)
const image: Part = { media: { url: 'data:image/png;base64,iVBORw0KGgo=', contentType: 'image/png' } }
const largeImage: Part = { media: { url: `data:image/png;base64,${'A'.repeat(2_000_000)}`, contentType: 'image/png' } }

const create = (options = {}): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage(), ...options })

const offload = (part: ToolResponsePart, offloader = create()): Promise<ToolResponsePart> =>
  offloadResponse(offloader, part, { input: {}, signal: undefined })

const response = (output: unknown, content?: Part[]): ToolResponsePart => ({
  toolResponse: { name: 'read_log', ref: 'call_1', output, ...(content === undefined ? {} : { content }) },
})

it.each<[what: string, part: ToolResponsePart]>([
  ['a small text', response('small')],
  ['a small value with content', response({ a: 1 }, [image])],
  ['no output', { toolResponse: { name: 'read_log' } }],
  ['empty content', response(undefined, [])],
])('returns the very part for %s', async (_what, part) => {
  expect(await offload(part)).toBe(part)
})

it('keeps all of a part but its output', async () => {
  const part: ToolResponsePart = { ...response(LOG), metadata: { took: 7 } }
  expect(await offload(part)).toEqual({ ...part, toolResponse: { name: 'read_log', ref: 'call_1', output: offloaded } })
  expect(part.toolResponse.output).toBe(LOG)
})

it('takes a call without an id, as Gemini makes them, and names what it stores by the tool', async () => {
  const { toolResponse } = await offload({ toolResponse: { name: 'read_log', output: LOG } })
  expect(toolResponse).toEqual({ name: 'read_log', output: offloaded })
  expect(toolResponse.output).toMatch(/^ {2}read_log_0_\w+ \(/m)
})

it('keeps content beside an output that is stored, as the very objects', async () => {
  const custom: Part = { custom: { hits: 3 } }
  const { toolResponse } = await offload(response(LOG, [image, custom]))
  expect(toolResponse).toMatchObject({ output: offloaded, content: [image, custom] })
  expect(toolResponse.content?.[0]).toBe(image)
})

it('keeps an output beside content that is stored, behind the replacement, as the very object', async () => {
  const output = { caption: 'a chart' }
  const { toolResponse } = await offload(response(output, [largeImage, image]))
  expect(toolResponse).toMatchObject({ output: { offloaded, output }, content: [image] })
  expect((toolResponse.output as { output: unknown }).output).toBe(output)
})

it('puts the replacement into the output where there was none, and leaves no content that is empty', async () => {
  const { toolResponse } = await offload(response(undefined, [{ text: LOG }]))
  expect(toolResponse).toEqual({ name: 'read_log', ref: 'call_1', output: offloaded })
})

it('stores the bytes of an image that a tool returns as an output', async () => {
  const offloader = create()
  const { toolResponse } = await offload(response({ url: largeImage.media?.url, contentType: 'image/png' }), offloader)
  const [, reference = ''] = /^ {2}(\S+) \(/m.exec(String(toolResponse.output)) ?? []
  const { content, contentType } = await offloader.options.storage.retrieve(reference)
  expect({ contentType, size: content.length }).toEqual({ contentType: 'image/png', size: 1_500_000 })
})

it('keeps an error one', async () => {
  expect((await offload(response({ error: LOG }))).toolResponse.output).toEqual({ error: offloaded })
})

it('keeps the form of what an MCP server returned, with its small parts', async () => {
  const picture = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }
  const { output } = (await offload(response({ content: [picture, { type: 'text', text: LOG }] }))).toolResponse
  expect(output).toEqual({ content: [{ type: 'text', text: offloaded }, picture] })
})

it('adds what a previewer made of an image to the content', async () => {
  const added = { type: 'image', mediaType: 'image/webp', data: new Uint8Array(3_000) } as const
  const previewer = { name: 'smaller', previews: 'media', recognize: () => 1, read: async () => ({ blocks: [added] }) }
  const { toolResponse } = await offload(response(undefined, [largeImage]), create({ previewers: [previewer] }))
  expect(toolResponse.content).toEqual([
    { media: { url: expect.stringMatching(/^data:image\/webp;base64,AAAA/), contentType: 'image/webp' } },
  ])
})
