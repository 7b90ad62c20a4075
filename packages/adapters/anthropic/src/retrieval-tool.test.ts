import Anthropic from '@anthropic-ai/sdk'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { retrievalTool } from './retrieval-tool.ts'

let storage: InMemoryStorage
let offloader: ContextOffloader

beforeEach(() => {
  storage = new InMemoryStorage()
  offloader = new ContextOffloader({ storage })
})

const store = (content: string | Uint8Array, contentType: string): Promise<string> =>
  storage.store('call_1_0', typeof content === 'string' ? new TextEncoder().encode(content) : content, contentType)

describe('retrievalTool', () => {
  it('is sent in a request as a definition without functions', () => {
    const { description, inputSchema } = offloader.retrievalTool
    const sent = JSON.parse(JSON.stringify(retrievalTool(offloader))) as unknown
    expect(sent).toEqual({ type: 'custom', name: RETRIEVAL_TOOL_NAME, description, input_schema: inputSchema })
  })

  it('answers with text', async () => {
    const reference = await store('one\ntwo\n', 'text/plain')
    const answer = await retrievalTool(offloader).run({ reference, pattern: 'two', context_lines: 0 })
    expect(answer).toBe(
      `[1 match]\n<<< ${reference.slice(-8)}: untrusted content\n> 2| two\n>>> end of ${reference.slice(-8)}`,
    )
  })

  it('answers with JSON as text', async () => {
    const reference = await store('{"a":[1]}', 'application/json')
    expect(await retrievalTool(offloader).run({ reference })).toMatchObject([
      { text: `<<< ${reference.slice(-8)}: untrusted content` },
      { text: '{"a":[1]}' },
      { text: `>>> end of ${reference.slice(-8)}` },
    ])
  })

  it.each([
    ['image', 'image/png'],
    ['document', 'application/pdf'],
  ])('answers with an %s', async (type, mediaType) => {
    const reference = await store(new Uint8Array([1, 2, 3]), mediaType)
    const source = { type: 'base64', media_type: mediaType, data: 'AQID' }
    expect(await retrievalTool(offloader).run({ reference })).toEqual([{ type, source }])
  })

  it('describes media that the API does not accept', async () => {
    const reference = await store(new Uint8Array([1, 2, 3]), 'audio/wav')
    expect(await retrievalTool(offloader).run({ reference })).toMatch(/^\[audio: audio\/wav, 3 bytes/)
  })

  it.each([{}, { reference: 7 }, { reference: 'made_up' }, { reference: 'made_up', line_range: 'all' }, [], null])(
    'answers the input %j with a tool error that has advice',
    async (input) => {
      const { parse, run } = retrievalTool(offloader)
      const error: unknown = await run(parse(input)).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Anthropic.Beta.Messages.ToolError)
      expect(error).toMatchObject({ content: expect.stringMatching(/^Error: /) })
    },
  )

  it('passes on the abort signal', async () => {
    const seen: unknown[] = []
    const retrieve = storage.retrieve.bind(storage)
    storage.retrieve = (reference, options) => {
      seen.push(options?.signal)
      return retrieve(reference, options)
    }
    storage.retrieveRange = undefined as never
    storage.open = undefined as never
    const { signal } = new AbortController()
    const tool = retrievalTool(new ContextOffloader({ storage }))
    await expect(tool.run({ reference: 'a' }, { signal })).rejects.toThrow(/^Error: /)
    await expect(tool.run({ reference: 'a' }, { signal: null })).rejects.toThrow(/^Error: /)
    expect(seen).toEqual([signal, undefined])
  })

  it('rejects a value that is not an offloader', () => {
    expect(() => retrievalTool({} as ContextOffloader)).toThrow(/^offloader must be a ContextOffloader/)
  })
})
