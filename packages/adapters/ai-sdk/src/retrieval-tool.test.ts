import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { generateText, type ToolSet } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeModel } from '../test/fake-model.ts'
import { readPrompt, type PromptCall } from '../test/read-prompt.ts'
import { isVersion7 } from '../test/version.ts'
import { retrievalTool } from './retrieval-tool.ts'

const storage = new InMemoryStorage()
const offloader = new ContextOffloader({ storage })
const store = (content: Uint8Array | string, contentType: string): Promise<string> =>
  storage.store('call_1', typeof content === 'string' ? new TextEncoder().encode(content) : content, contentType)

/** Let the model call the tool, and return the answer that the model gets. */
async function retrieve(input: unknown): Promise<ReturnType<typeof readPrompt>['results'][number]> {
  let calls = 0
  const model = fakeModel(() =>
    (calls += 1) > 1 ? { text: 'done' } : { toolCalls: [{ id: 'call_1', name: RETRIEVAL_TOOL_NAME, input }] },
  )
  const tools: ToolSet = { [RETRIEVAL_TOOL_NAME]: retrievalTool(offloader) }
  const { steps } = await generateText({ model, tools, prompt: 'Go.', stopWhen: ({ steps }) => steps.length === 2 })
  // The program can save the output as JSON.
  const output: unknown = steps[0]?.toolResults[0]?.output
  expect(JSON.parse(JSON.stringify(output))).toEqual(output)
  const prompts = (model as unknown as { doGenerateCalls: PromptCall[] }).doGenerateCalls
  return readPrompt(prompts[1]!).results[0]!
}

afterEach(() => vi.restoreAllMocks())

describe('retrievalTool', () => {
  it('is the same for the same offloader', () => {
    expect(retrievalTool(offloader)).toBe(retrievalTool(offloader))
    expect(retrievalTool(new ContextOffloader({ storage }))).not.toBe(retrievalTool(offloader))
  })

  it('makes all parameters optional for OpenAI too', async () => {
    const model = fakeModel(() => ({ text: 'done' }))
    await generateText({ model, tools: { [RETRIEVAL_TOOL_NAME]: retrievalTool(offloader) } as ToolSet, prompt: 'Go.' })
    expect(model).toMatchObject({ doGenerateCalls: [{ tools: [{ name: RETRIEVAL_TOOL_NAME, strict: false }] }] })
  })

  it('answers with text', async () => {
    const reference = await store('one\ntwo\n', 'text/plain')
    expect(await retrieve({ reference, pattern: 'two', context_lines: 0 })).toMatchObject({
      isError: false,
      content: [
        {
          type: 'text',
          text: `[1 match]\n<<< ${reference.slice(-8)}: untrusted content\n> 2| two\n>>> end of ${reference.slice(-8)}`,
        },
      ],
    })
  })

  it('answers with JSON as text', async () => {
    const reference = await store('{"a":[1]}', 'application/json')
    expect(await retrieve({ reference })).toMatchObject({
      content: [
        {
          type: 'text',
          text: `<<< ${reference.slice(-8)}: untrusted content\n{"a":[1]}\n>>> end of ${reference.slice(-8)}`,
        },
      ],
    })
  })

  it.each([
    ['image', 'image/png'],
    ['document', 'application/pdf'],
    ['audio', 'audio/wav'],
  ])('answers with the bytes of an %s, without a warning of the SDK', async (type, mediaType) => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const data = Uint8Array.from({ length: 1_000 }, (_, index) => index)
    const answer = await retrieve({ reference: await store(data, mediaType) })
    expect(answer).toMatchObject({ isError: false, content: [{ type, mediaType, data }] })
    expect(warn).not.toHaveBeenCalled()
  })

  it.each([{}, { reference: 7 }, { reference: 'made_up' }, { reference: 'made_up', line_range: 'all' }, [], null])(
    'answers the input %j with advice',
    async (input) => {
      const { isError, content } = await retrieve(input)
      expect(isError).toBe(true)
      expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^Error: /) }])
    },
  )

  it("works without the SDK's options", async () => {
    const reference = await store(new Uint8Array([1]), 'image/png')
    const { execute, toModelOutput } = retrievalTool(offloader)
    const output = await execute({ reference }, {})
    expect(output).toEqual({ type: 'content', value: [{ type: 'image-data', data: 'AQ==', mediaType: 'image/png' }] })
    expect(toModelOutput({ output })).toBe(output)
  })

  it('gives media in the form of the installed version', async () => {
    const reference = await store(new Uint8Array([1]), 'image/png')
    const options: object = isVersion7 ? { context: undefined } : { experimental_context: undefined }
    const output = await retrievalTool(offloader).execute({ reference }, options)
    const file = { type: 'file', data: { type: 'data', data: 'AQ==' }, mediaType: 'image/png' }
    const image = { type: 'image-data', data: 'AQ==', mediaType: 'image/png' }
    expect(output).toEqual({ type: 'content', value: [isVersion7 ? file : image] })
  })

  it('passes on the abort signal', async () => {
    const seen: unknown[] = []
    const watched = new InMemoryStorage()
    const retrieveContent = watched.retrieve.bind(watched)
    watched.retrieve = (reference, options) => {
      seen.push(options?.signal)
      return retrieveContent(reference, options)
    }
    watched.retrieveRange = undefined as never
    watched.open = undefined as never
    const { signal } = new AbortController()
    await retrievalTool(new ContextOffloader({ storage: watched })).execute({ reference: 'a' }, { abortSignal: signal })
    expect(seen).toContain(signal)
  })
})
