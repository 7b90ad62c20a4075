import type { ContentBlock } from '@spillway/text/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { encodeBase64 } from '../content/media-source.ts'
import { offloadAsRecord, offloadModelOutput, offloadParts, offloadThrown } from './offload-parts.ts'

interface Part {
  readonly kind: string
  readonly body: string
}

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')

const offloader = new ContextOffloader({ storage: tinyStorage() })

const request = {
  toolName: 'read_log',
  toolCallId: 'call_1',
  toBlock: ({ kind, body }: Part): ContentBlock =>
    kind === 'text' ? { type: 'text', text: body } : { type: 'unknown', value: body },
  fromText: (body: string): Part => ({ kind: 'text', body }),
}

it('an outcome says why a result is not offloaded', async () => {
  const withinLimit = { status: 'inline', reason: 'within-limit' }
  expect(await offloadParts(offloader, { ...request, parts: [{ kind: 'text', body: 'small' }] })).toEqual(withinLimit)
  expect(await offloadParts(offloader, { ...request, parts: [] })).toEqual(withinLimit)
})

it('the replacement comes first, followed by the remaining parts as the same objects', async () => {
  const parts = [
    { kind: 'ad', body: 'a' },
    { kind: 'text', body: LOG },
    { kind: 'text', body: 'small' },
  ]
  const outcome = await offloadParts(offloader, { ...request, parts })
  const replaced = outcome.status === 'offloaded' ? outcome.parts : []
  expect(replaced).toHaveLength(3)
  expect(replaced[0]).toEqual({ kind: 'text', body: expect.stringMatching(/^\[Offloaded: 1 block/) })
  expect(replaced[1]).toBe(parts[0])
  expect(replaced[2]).toBe(parts[2])
})

it('blocks of previewers are written as parts, or omitted', async () => {
  const added: ContentBlock = { type: 'image', mediaType: 'image/webp', data: new Uint8Array(5_000) }
  const previewer = {
    name: 'smaller',
    previews: 'media',
    recognize: () => 1,
    read: async () => ({ blocks: [added] }),
  } as const
  const withImages = {
    ...request,
    parts: [{ kind: 'image', body: '' }],
    toBlock: (): ContentBlock => ({ type: 'image', mediaType: 'image/png', data: new Uint8Array(2_000_000) }),
  }
  const scaling = new ContextOffloader({ storage: tinyStorage(), previewers: [previewer] })
  const fromBlock = ({ type }: ContentBlock): Part => ({ kind: type, body: 'smaller' })
  const made = await offloadParts(scaling, { ...withImages, fromBlock })
  expect(made).toMatchObject({ parts: [{ kind: 'text' }, { kind: 'image', body: 'smaller' }] })
  const left = await offloadParts(scaling, withImages)
  expect(left.status === 'offloaded' && left.parts).toHaveLength(1)
})

const CALL = { toolName: 'read', toolCallId: 'call_1', input: {} }

const ROWS = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `row ${id}` }))

const OPTIONS = { anthropic: { cacheControl: { type: 'ephemeral' } } }

const REPLACED = expect.stringMatching(/^\[Offloaded: /)

const offload = async <Output>(output: Output): Promise<Output> =>
  (await offloadModelOutput(new ContextOffloader({ storage: tinyStorage() }), CALL, output)).output

describe('offloadModelOutput', () => {
  it.each([
    ['text', LOG, 'text'],
    ['json', ROWS, 'text'],
    ['error-text', LOG, 'error-text'],
    ['error-json', ROWS, 'error-text'],
  ])('replaces %s, and keeps other fields of the output', async (type, value, newType) => {
    const output = { type, value, providerOptions: OPTIONS, ofTheFuture: 1 }
    const before = structuredClone(output)
    expect(await offload(output)).toEqual({ ...output, type: newType, value: REPLACED })
    expect(output).toEqual(before)
  })

  it('reports to the offloader which outputs are errors', async () => {
    const told: boolean[] = []
    const offloader = new ContextOffloader({
      storage: tinyStorage(),
      shouldOffload: ({ isError }) => told.push(isError) > 0,
    })
    for (const type of ['text', 'error-text']) await offloadModelOutput(offloader, CALL, { type, value: LOG })
    for (const type of ['json', 'error-json']) await offloadModelOutput(offloader, CALL, { type, value: ROWS })
    expect(told).toEqual([false, true, false, true])
  })

  it.each([
    ['image-data', { type: 'image-data', mediaType: 'image/png' }, 'image-data'],
    ['file', { type: 'file', mediaType: 'image/png' }, 'file'],
  ])('adds the block of a previewer in the form of the replaced part: %s', async (_form, part, type) => {
    const added = { type: 'image', mediaType: 'image/webp', data: new Uint8Array(3_000) } as const
    const previewer = { name: 'smaller', recognize: () => 1, read: async () => ({ blocks: [added] }) }
    const previewers = [{ ...previewer, previews: 'media' as const }]
    const offloader = new ContextOffloader({ storage: tinyStorage(), previewers })
    const data = encodeBase64(new Uint8Array(2_000_000))
    const image = { ...part, data: type === 'file' ? { type: 'data', data } : data }
    const { output } = await offloadModelOutput(offloader, CALL, { type: 'content', value: [image] })
    expect(output.value).toMatchObject([
      { type: 'text', text: REPLACED },
      { type, mediaType: 'image/webp' },
    ])
  })

  it('puts the replacement before the remaining parts, which are the same objects', async () => {
    const small = { type: 'text', text: 'small', providerOptions: OPTIONS }
    const unknown = { type: 'of the future', body: 'a' }
    const file = { type: 'file-id', fileId: 'file-1' }
    const output = {
      type: 'content',
      value: [small, { type: 'text', text: LOG }, unknown, file],
      providerOptions: OPTIONS,
    }
    const replaced = await offload(output)
    expect(replaced).toEqual({ ...output, value: [{ type: 'text', text: REPLACED }, small, unknown, file] })
    expect(replaced.value[1]).toBe(small)
    expect(replaced.value[2]).toBe(unknown)
    expect(replaced.value[3]).toBe(file)
  })

  it('writes the name of a small text that is kept beside other parts', async () => {
    const small = { type: 'text', text: 'two users', filename: 'file:///users.md', mediaType: 'text/markdown' }
    const { value } = await offload({ type: 'content', value: [small, { type: 'text', text: LOG }] })
    expect(value.slice(1)).toEqual([{ type: 'text', text: '==> file:///users.md <==\ntwo users' }])
  })

  it('gives the replacement only the provider options of the texts that it replaces', async () => {
    const image = { type: 'image-data', data: encodeBase64(new Uint8Array(2_000_000)), mediaType: 'image/png' }
    const output = {
      type: 'content',
      value: [
        { ...image, providerOptions: { openai: { imageDetail: 'low' } } },
        { type: 'text', text: LOG, providerOptions: OPTIONS },
      ],
    }
    expect((await offload(output)).value).toEqual([{ type: 'text', text: REPLACED, providerOptions: OPTIONS }])
  })

  it.each([
    { type: 'execution-denied', reason: LOG },
    { type: 'of the future', value: LOG },
    { type: 'text', value: undefined },
    { type: 'text', value: { long: LOG } },
    { type: 'content', value: LOG },
    { type: 'json', value: undefined },
    { type: 'json', value: 12n },
    { type: 'content', value: [{ type: 'of the future', body: LOG }] },
    { type: 'content', value: [null, undefined, LOG] },
    {},
    null,
    undefined,
    'text',
  ])('returns other values unchanged: %o', async (output) => {
    expect(await offload(output)).toBe(output)
  })

  it('returns an output within the limit as the same object', async () => {
    const small = fc.string({ maxLength: 100 })
    const output = fc.oneof(
      fc.record({ type: fc.constantFrom('text', 'error-text'), value: small }),
      fc.record({ type: fc.constantFrom('json', 'error-json'), value: fc.jsonValue({ maxDepth: 2 }) }),
      fc.record({
        type: fc.constant('content'),
        value: fc.array(fc.record({ type: small, text: small }), { maxLength: 5 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(output, async (one) => {
        expect(await offload(one)).toBe(one)
      }),
    )
  })

  it('returns the original if storing fails', async () => {
    const storage = tinyStorage()
    storage.store = () => Promise.reject(new Error('down'))
    const output = { type: 'text', value: LOG }
    const outcome = await offloadModelOutput(new ContextOffloader({ storage }), CALL, output)
    expect(outcome).toEqual({ output, reason: 'failed' })
    expect(outcome.output).toBe(output)
  })
})

describe('an object offloaded as a record', () => {
  const ONE_LINE = 'lorem ipsum '.repeat(5_000)

  const ROWS = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `user ${id}` }))

  const REPLACED = expect.stringMatching(/^\[Offloaded: /) as unknown

  interface Told {
    readonly isError: boolean
  }

  /** Offload a value, and return its replacement, the stored content, and the candidates for offloading. */
  async function offload(
    value: unknown,
  ): Promise<{ replaced: Record<string, unknown> | undefined; stored: string[]; told: Told[] }> {
    const storage = tinyStorage()
    const told: Told[] = []
    const shouldOffload = (candidate: Told): boolean => told.push(candidate) > 0
    const offloader = new ContextOffloader({ storage, shouldOffload })
    const replaced = await offloadAsRecord(offloader, { toolName: 'read', toolCallId: 'call_1', value })
    const stored: string[] = []
    for await (const { reference } of storage.list())
      stored.push(new TextDecoder().decode((await storage.retrieve(reference)).content))
    return { replaced, stored, told }
  }

  it.each([
    ['a string', 'all is well'],
    ['an empty string', ''],
    ['an object', { status: 'ok', lines: [1, 2] }],
    ['an array', [1, 2]],
    ['an MCP result', { content: [{ type: 'text', text: 'all is well' }] }],
    ['null', null],
    ['nothing', undefined],
    ['a number', 7],
    ['a function', () => LOG],
  ])('keeps %s unchanged if it is small', async (_what, value) => {
    expect(await offload(value)).toEqual({ replaced: undefined, stored: [], told: [] })
  })

  it('has the replacement of a string in its field result', async () => {
    const { replaced, stored } = await offload(LOG)
    expect(replaced).toEqual({ result: REPLACED })
    expect(stored).toEqual([LOG])
  })

  it.each([
    ['an array', ROWS],
    ['an object', { rows: ROWS }],
    ['a text of one line beside a value', { title: 'Users', text: ONE_LINE }],
    ['a long text beside other large fields', { log: LOG, rows: ROWS }],
    ['an object with its own toJSON', { log: LOG, toJSON: () => ROWS }],
    ['content with an unknown part', { content: [{ type: 'text', text: LOG }, { type: 'chart' }] }],
    ['content that is not made of parts', { content: [LOG] }],
    ['content that is empty', { content: [], rows: ROWS }],
  ])('stores %s as JSON', async (_what, value) => {
    const { replaced, stored } = await offload(value)
    expect(replaced).toEqual({ result: REPLACED })
    expect(stored).toEqual([JSON.stringify(value, undefined, 2)])
  })

  it.each([
    ['result', ONE_LINE],
    ['output', ONE_LINE],
    ['error', ONE_LINE],
    ['text', LOG],
  ])('stores the text if an object has only the field %s', async (name, text) => {
    const { replaced, stored, told } = await offload({ [name]: text })
    expect(replaced).toEqual({ [name]: REPLACED })
    expect(stored).toEqual([text])
    expect(told).toMatchObject([{ isError: name === 'error' }])
  })

  it('replaces a long text in its field, and keeps short fields in their order', async () => {
    const value = { status: 'ok', stdout: LOG, stderr: 'a warning', code: 0, headers: { a: [1] } }
    const { replaced, stored } = await offload(value)
    expect(replaced).toEqual({ ...value, stdout: REPLACED })
    expect(Object.keys(replaced ?? {})).toEqual(Object.keys(value))
    expect(stored).toEqual([LOG])
  })

  it('treats fields named like properties of every object as ordinary fields', async () => {
    const value = JSON.parse(JSON.stringify({ code: 0, log: LOG }).replace('log', '__proto__')) as object
    const { replaced, stored } = await offload(value)
    expect(Object.keys(replaced ?? {})).toEqual(['code', '__proto__'])
    expect(stored).toEqual([LOG])
  })

  it.each([
    ['the text of an error beside a code', { error: LOG, code: 7 }, { error: REPLACED, code: 7 }],
    ['an error that is an object', { error: { stderr: ROWS } }, { error: REPLACED }],
    ['a value beside an error', { error: 'no', rows: ROWS }, { error: REPLACED }],
    [
      'an MCP error',
      { isError: true, content: [{ type: 'text', text: LOG }] },
      { isError: true, content: [{ type: 'text', text: REPLACED }] },
    ],
  ])('keeps %s marked as an error', async (_what, value, expected) => {
    const { replaced, told } = await offload(value)
    expect(replaced).toEqual(expected)
    expect(told).toMatchObject([{ isError: true }])
  })

  it.each([{ error: null }, { error: '' }, { error: undefined }, { isError: false }, { isError: 'yes' }])(
    'does not treat an object with %j as an error',
    async (mark) => {
      const { told } = await offload({ ...mark, rows: ROWS })
      expect(told).toMatchObject([{ isError: false }])
    },
  )

  it('replaces parts of an MCP result, and keeps the other parts and fields', async () => {
    const small = { type: 'text', text: 'small', annotations: { audience: ['user'] } }
    const link = { type: 'resource_link', uri: 'https://example.com/a', name: 'a' }
    const value = { _meta: { id: 7 }, content: [small, { type: 'text', text: LOG }, link], isError: false }
    const { replaced, stored } = await offload(value)
    expect(replaced).toEqual({ ...value, content: [{ type: 'text', text: REPLACED }, small, link] })
    const [, first, second] = (replaced?.['content'] ?? []) as unknown[]
    expect(first).toBe(small)
    expect(second).toBe(link)
    expect(stored).toEqual([LOG])
  })

  it('stores the bytes of an image in an MCP result, and writes blocks of previewers as parts', async () => {
    const added = { type: 'image', mediaType: 'image/webp', data: new Uint8Array([1, 2, 3]) } as const
    const previewer = {
      name: 'smaller',
      previews: 'media',
      recognize: () => 1,
      read: async () => ({ blocks: [added] }),
    } as const
    const offloader = new ContextOffloader({ storage: tinyStorage(), previewers: [previewer] })
    const data = btoa('\x89PNG\r\n\x1a\n'.padEnd(1_200_000, 'x'))
    const value = { content: [{ type: 'image', data, mimeType: 'image/png' }] }
    expect(await offloadAsRecord(offloader, { toolName: 'draw', toolCallId: 'call_1', value })).toEqual({
      content: [
        { type: 'text', text: REPLACED },
        { type: 'image', data: 'AQID', mimeType: 'image/webp' },
      ],
    })
  })

  it('stores bytes under the type that their first bytes show', async () => {
    const storage = tinyStorage()
    const offloader = new ContextOffloader({ storage })
    const bytes = new Uint8Array(1_200_010)
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 10)
    const value = bytes.subarray(10)
    const replaced = await offloadAsRecord(offloader, { toolName: 'read', toolCallId: 'call_1', value })
    expect(replaced).toEqual({ result: expect.stringContaining('[image: png, 1,200,000 bytes]') })
    const [reference = ''] = /call_1\w+/.exec(String(replaced?.['result'])) ?? []
    expect(await storage.retrieve(reference)).toEqual({ content: bytes.subarray(10), contentType: 'image/png' })
  })

  it('counts structured content, and removes it together with the stored parts', async () => {
    const content = [{ type: 'text', text: 'three thousand users' }]
    const { replaced, stored } = await offload({ content, structuredContent: { rows: ROWS } })
    expect(replaced).toEqual({ content: [{ type: 'text', text: REPLACED }, content[0]] })
    expect(stored).toEqual([JSON.stringify({ structuredContent: { rows: ROWS } }, undefined, 2)])
  })

  it('does not change the given value', async () => {
    const value = Object.freeze({ status: 'ok', log: LOG })
    const result = Object.freeze({ content: Object.freeze([Object.freeze({ type: 'text', text: LOG })]) })
    for (const one of [value, result]) {
      const before = structuredClone(one)
      await offload(one)
      expect(one).toEqual(before)
    }
  })

  it('returns values that JSON cannot express unchanged, without rejecting', async () => {
    const cycle: Record<string, unknown> = { log: LOG }
    cycle['self'] = cycle
    let deep: unknown = 'end'
    for (let level = 0; level < 20_000; level += 1) deep = [deep]
    for (const value of [cycle, { log: LOG, size: 7n }, { log: LOG, deep }])
      expect((await offload(value)).replaced).toBeUndefined()
  })
})

class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly code = 'EBUILD'
  readonly #secret = 1
  get secret(): number {
    return this.#secret
  }
}

const HUGE = Array.from({ length: 5_000 }, (_, line) => `error in line ${line}`).join('\n')

const throwing = (thrown: unknown): Promise<unknown> =>
  offloadThrown(new ContextOffloader({ storage: tinyStorage() }), { toolName: 'build', toolCallId: 'c', thrown })

it.each([new BuildError('small'), 'small', undefined, null, 0, Symbol('s'), 12n, { code: 1 }])(
  'a thrown value that is small or has no message is returned unchanged: %s',
  async (thrown) => {
    expect(await throwing(thrown)).toBe(thrown)
  },
)

it('an offloaded error keeps its class and fields, and has the original as cause', async () => {
  const thrown = new BuildError(HUGE)
  const replaced = await throwing(thrown)
  expect(replaced).toBeInstanceOf(BuildError)
  expect(replaced).toMatchObject({ name: 'BuildError', code: 'EBUILD', cause: thrown })
  expect((replaced as Error).message).toMatch(/^\[Offloaded: 1 block.*\n[^]*error in line 4999/)
  expect((replaced as Error).stack).not.toContain('error in line 2500')
})

it('an offloaded error keeps the accessors of its class that read private fields', async () => {
  expect(await throwing(new BuildError(HUGE))).toHaveProperty('secret', 1)
  const replaced = await throwing(new DOMException(HUGE, 'DataCloneError'))
  expect(String(replaced)).toMatch(/^DataCloneError: \[Offloaded: 1 block/)
  expect(replaced).toMatchObject({ name: 'DataCloneError', code: 25 })
})

it('a huge string is replaced by a string, and a huge object by an error', async () => {
  expect(await throwing(HUGE)).toMatch(/^\[Offloaded/)
  const thrown = { stdout: HUGE.split('\n') }
  expect(await throwing(thrown)).toMatchObject({ message: expect.stringMatching(/^\[Offloaded/), cause: thrown })
})
