import { createRequire } from 'node:module'
import Anthropic from '@anthropic-ai/sdk'
import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Previewer } from '@spillway/previews'
import { contentOfThrown, offloadCall, offloadContent } from './offload-call.ts'

const { ToolError } = Anthropic.Beta.Messages
const HUGE = 'the build went on\n'.repeat(1_000)
const REPLACED = /^\[Offloaded: /
const CALL = { id: 'call_1', name: 'build', input: {} }

class BuildError extends Error {
  readonly code = 'EBUILD'
}

let storage: InMemoryStorage
let offloader: ContextOffloader
let events: OffloadEvent[]

beforeEach(() => {
  storage = new InMemoryStorage()
  events = []
  offloader = new ContextOffloader({ storage, onEvent: (event) => void events.push(event) })
})

const run = (work: () => unknown, call: object = CALL, signal?: AbortSignal): Promise<unknown> =>
  offloadCall(offloader, { ...CALL, ...call }, signal, work)

const thrownBy = async (error: unknown, call?: object): Promise<unknown> => {
  const failing = (): never => {
    throw error
  }
  try {
    await run(failing, call)
  } catch (thrown) {
    return thrown
  }
  throw new Error('It did not throw.')
}

describe('offloadCall', () => {
  it('returns small content unchanged and replaces large content, synchronously or with a promise', async () => {
    const parts = [{ type: 'text', text: 'small' }]
    expect(await run(() => parts)).toBe(parts)
    expect(await run(async () => parts)).toBe(parts)
    expect(await run(() => HUGE)).toMatch(REPLACED)
    expect(await run(async () => HUGE)).toMatch(REPLACED)
  })

  it.each([new BuildError('small'), new ToolError('small'), 'small', { code: 1 }, null, undefined])(
    'throws the small %o unchanged',
    async (error) => {
      expect(await thrownBy(error)).toBe(error)
    },
  )

  it('throws a huge error replaced by an error of its class', async () => {
    const error = new BuildError(HUGE)
    const thrown = await thrownBy(error)
    expect(thrown).toBeInstanceOf(BuildError)
    expect(thrown).toMatchObject({ code: 'EBUILD', cause: error, message: expect.stringMatching(REPLACED) })
    expect(contentOfThrown(thrown)).toMatch(/^Error: \[Offloaded: /)
  })

  it('replaces the text or parts of a tool error, but not its last line', async () => {
    const huge = `${HUGE}FATAL: no space left`
    for (const [content, shown] of [
      [huge, expect.stringMatching(REPLACED)],
      [[{ type: 'text', text: huge }], [{ type: 'text', text: expect.stringMatching(REPLACED) }]],
    ] as const) {
      const error = new ToolError(content as ConstructorParameters<typeof ToolError>[0])
      const thrown = await thrownBy(error)
      expect(thrown).toBeInstanceOf(ToolError)
      expect(thrown).toMatchObject({ content: shown, cause: error })
      expect(contentOfThrown(thrown)).toEqual(shown)
      expect(JSON.stringify(contentOfThrown(thrown))).toContain('FATAL: no space left')
    }
  })

  it('replaces the content of a tool error if the program has loaded the SDK as CommonJS', async () => {
    const required = createRequire(import.meta.url)('@anthropic-ai/sdk') as { readonly default: typeof Anthropic }
    const Other = required.default.Beta.Messages.ToolError
    expect(Other).not.toBe(ToolError)
    const small = new Other('small')
    expect(await thrownBy(small)).toBe(small)
    const thrown = await thrownBy(new Other(HUGE))
    expect(contentOfThrown(thrown)).toMatch(REPLACED)
    // The runner of the other copy reads only the message.
    expect((thrown as Error).message).toMatch(REPLACED)
  })

  it('treats an error with only the same name as an ordinary error', async () => {
    const error = Object.assign(new Error(HUGE), { name: 'ToolError' })
    expect(contentOfThrown(await thrownBy(error))).toMatch(/^Error: \[Offloaded: /)
    const small = Object.assign(new Error('no'), { name: 'ToolError', content: 7 })
    expect(await thrownBy(small)).toBe(small)
    expect(contentOfThrown(small)).toBe('Error: no')
  })

  it("leaves results for code in the provider's sandbox", async () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' }
    expect(await run(() => HUGE, { caller })).toBe(HUGE)
    const error = new ToolError(HUGE)
    expect(await thrownBy(error, { caller })).toBe(error)
    expect(await run(() => HUGE, { caller: { type: 'direct' } })).toMatch(REPLACED)
    expect(events.map(({ type }) => type)).toEqual(['offload'])
  })

  it('passes the call and its error state to the offloader', async () => {
    const told: unknown[] = []
    const shouldOffload = (request: object): boolean => told.push(request) > 0
    offloader = new ContextOffloader({ storage, shouldOffload })
    const call = { id: 'call_7', name: 'read', input: { path: 'a' } }
    await run(() => HUGE, call)
    await thrownBy(new ToolError(HUGE), call)
    await thrownBy(new Error(HUGE), call)
    const expected = { toolName: 'read', toolCallId: 'call_7', input: { path: 'a' } }
    expect(told).toMatchObject([false, true, true].map((isError) => ({ ...expected, isError })))
  })

  it('stops storing and returns the original if the call is aborted', async () => {
    const controller = new AbortController()
    storage.store = () => {
      setImmediate(() => controller.abort())
      return new Promise(() => {})
    }
    expect(await run(() => HUGE, {}, controller.signal)).toBe(HUGE)
  })

  it('keeps a result unchanged if storing fails', async () => {
    storage.store = () => Promise.reject(new Error('down'))
    expect(await run(() => HUGE)).toBe(HUGE)
    const error = new ToolError(HUGE)
    expect(await thrownBy(error)).toBe(error)
    expect(events.map(({ type }) => type)).toEqual(['offload-failed'])
  })
})

describe('contentOfThrown', () => {
  it.each([
    [new Error('no'), 'Error: no'],
    [new BuildError(''), 'Error: '],
    ['no', 'Error: no'],
    [undefined, 'Error: undefined'],
    [{ code: 1 }, 'Error: [object Object]'],
    [new ToolError('no'), 'no'],
  ])('writes %o as the tool runner does', (thrown, content) => {
    expect(contentOfThrown(thrown)).toBe(content)
  })
})

describe('offloadContent', () => {
  const LOG = 'a line of a log\n'.repeat(1_000)
  const REPLACED = expect.stringMatching(/^\[Offloaded: /)
  const CALL = { toolName: 'read', toolCallId: 'call_1', isOfToolset: false }
  const text = (value: string, more: object = {}): object => ({ type: 'text', text: value, ...more })
  const image = (size: number): object => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(size) },
  })

  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })

  it.each([
    ['text', 'small'],
    ['nothing', undefined],
    ['null', null],
    ['a value that is not content', { rows: LOG }],
    ['no parts', []],
    ['small parts', [text('small'), image(1_000)]],
    ['invalid parts', [null, undefined, 7, 'text', {}]],
  ])('returns the same object for %s', async (_name, content) => {
    expect(await offloadContent(offloader, CALL, content)).toBe(content)
  })

  it('replaces a large text by a text, or a large part by a part before the other parts', async () => {
    expect(await offloadContent(offloader, CALL, LOG)).toEqual(REPLACED)
    const [small, picture] = [text('small'), image(1_000)]
    const shown = await offloadContent(offloader, CALL, [small, text(LOG), picture])
    expect(shown).toEqual([text(REPLACED as string), small, picture])
    expect((shown as object[])[1]).toBe(small)
    expect((shown as object[])[2]).toBe(picture)
  })

  it('keeps media given by URL or by id, and unknown parts', async () => {
    const kept = [
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
      { type: 'tool_reference', tool_name: 'read' },
      null,
    ]
    expect(await offloadContent(offloader, CALL, [text(LOG), ...kept])).toEqual([text(REPLACED as string), ...kept])
  })

  it('offloads a hundred thousand parts in seconds', { timeout: 20_000 }, async () => {
    const parts = Array.from({ length: 100_000 }, (_, index) => text(`part ${index}`))
    const shown = await offloadContent(offloader, CALL, parts)
    expect(shown).not.toBe(parts)
  })

  it('accepts parts that are plain strings', async () => {
    expect(await offloadContent(offloader, CALL, [LOG, 'small'])).toEqual([text(REPLACED as string), 'small'])
  })

  it('replaces large text documents and search results', async () => {
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: LOG } }
    const found = { type: 'search_result', title: 'A', source: 'b', content: [text(LOG)] }
    for (const part of [document, found])
      expect(await offloadContent(offloader, CALL, [part])).toEqual([text(REPLACED as string)])
  })

  it('moves the cache mark from a replaced part to the replacement', async () => {
    const [first, second] = [{ type: 'ephemeral', ttl: '1h' }, { type: 'ephemeral' }]
    const parts = [text(LOG, { cache_control: first }), text(LOG.toUpperCase(), { cache_control: second })]
    expect(await offloadContent(offloader, CALL, parts)).toEqual([text(REPLACED as string, { cache_control: second })])
    const kept = text('small', { cache_control: first })
    expect(await offloadContent(offloader, CALL, [text(LOG), kept])).toEqual([text(REPLACED as string), kept])
    const none = text(LOG, { cache_control: null })
    expect(await offloadContent(offloader, CALL, [none])).toEqual([text(REPLACED as string)])
  })

  it("replaces only text in a toolset's results, and keeps the order of other parts", async () => {
    const call = { ...CALL, isOfToolset: true }
    const [screenshot, state] = [image(4_000_000), { type: 'browser_state', tabs: [] }]
    expect(await offloadContent(offloader, call, [text(LOG), screenshot, state])).toEqual([
      text(REPLACED as string),
      screenshot,
      state,
    ])
    const small = [text('Clicked.'), screenshot, state]
    expect(await offloadContent(offloader, call, small)).toBe(small)
    expect(await offloadContent(offloader, CALL, [screenshot])).toEqual([text(REPLACED as string)])
  })

  it("adds a previewer's image to a result, but not to an error", async () => {
    const blocks = [{ type: 'image', mediaType: 'image/png', data: new Uint8Array([1]) }] as const
    const read = async (): Promise<{ blocks: typeof blocks }> => ({ blocks })
    const previewer: Previewer = { name: 'image', previews: 'media', recognize: () => 1, read }
    const scaling = new ContextOffloader({ storage: new InMemoryStorage(), previewers: [previewer] })
    const content = [image(4_000_000)]
    const smaller = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQ==' } }
    expect(await offloadContent(scaling, CALL, content)).toEqual([text(REPLACED as string), smaller])
    const call = { ...CALL, isError: true }
    expect(await offloadContent(scaling, call, content)).toEqual([text(REPLACED as string)])
  })
})
