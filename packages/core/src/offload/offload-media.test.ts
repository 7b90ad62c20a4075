import { describe, expect, test } from 'vitest'
import type { ContentBlock } from '@spillway/text/internal'
import { type MediaPreview, type MediaPreviewer, MissingPeerError } from '@spillway/previews'
import { tinyStorage } from '../../test/tiny-storage.ts'
import type { Storage } from '../storage/storage.ts'
import type { ContextOffloaderOptions, OffloadEvent } from './context-offloader-options.ts'
import { ContextOffloader } from './context-offloader.ts'
import type { Outcome } from './offload-request.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const call = { toolName: 'fetch', toolCallId: 'call_1' }
const REPORT = Array.from({ length: 900 }, (_, line) => `line ${line + 1} of the report`).join('\n')
/** A document that begins like a PDF, but has no text that could be counted. */
const pdf: ContentBlock = {
  type: 'document',
  mediaType: 'application/pdf',
  name: 'report.pdf',
  data: encode(`%PDF-1.7\n${'\0'.repeat(80_000)}`),
}

/** A previewer that replaces the installed previewer of the same name. */
const reads = (preview: MediaPreview | (() => never)): MediaPreviewer => ({
  name: 'pdf',
  previews: 'media',
  recognize: ({ mediaType }) => (mediaType === 'application/pdf' || mediaType === 'image/png' ? 0.9 : 0),
  read: async () => (typeof preview === 'function' ? preview() : preview),
})

function setUp(options: Partial<ContextOffloaderOptions> = {}) {
  const events: OffloadEvent[] = []
  const storage = tinyStorage()
  const offloader = new ContextOffloader({ storage, onEvent: (event) => events.push(event), ...options })
  return { events, storage, offloader }
}

/** A storage that fails to store the text of a document, and the storage behind it. */
function storageWithoutTexts() {
  const storage = tinyStorage()
  const failing: Storage = {
    store: async (key, ...rest) => {
      if (key.endsWith('_text')) throw new Error('disk full')
      return storage.store(key, ...rest)
    },
    retrieve: (reference) => storage.retrieve(reference),
    delete: (reference) => storage.delete(reference),
  }
  return { storage, failing }
}

function textOf(outcome: Outcome): string {
  const [block] = outcome.content
  if (outcome.status !== 'offloaded' || block?.type !== 'text') throw new Error(`not offloaded: ${outcome.status}`)
  return block.text
}

async function count(storage: Storage): Promise<number> {
  let entries = 0
  for await (const _entry of storage.list!()) entries++
  return entries
}

test('the text of a document is stored too, previewed, and searched under its own reference', async () => {
  const { offloader, events } = setUp({ previewers: [reads({ description: '12 pages', text: REPORT })] })
  const outcome = await offloader.offload({ ...call, content: [pdf] })
  const text = textOf(outcome)
  const [document, readable] = outcome.status === 'offloaded' ? outcome.stored : []
  expect(text).toContain('\n[document: pdf, "report.pdf", 12 pages, 80,009 bytes]\n')
  expect(text).toContain(`\n<<< preview of ${readable?.reference}: untrusted content\n`)
  expect(text).toContain('line 1 of the report')
  expect(text).toContain(`\n  ${document?.reference} (application/pdf, "report.pdf", 80,009 bytes)\n`)
  const size = encode(REPORT).length.toLocaleString('en-US')
  expect(text).toContain(`\n  ${readable?.reference} (text of ${document?.reference}, ${size} bytes, 900 lines)`)
  expect(readable?.reference).toMatch(/^call_1_0_text_/)
  const answer = await offloader.retrievalTool.execute({ reference: readable?.reference, pattern: 'line 777 ' })
  expect(answer.content).toMatchObject([{ text: expect.stringContaining('> 777| line 777 of the report') }])
  expect(events.map(({ type }) => type)).toEqual(['offload', 'retrieval'])
})

test("a guide gets the reference of the document's text, which can be searched", async () => {
  const asked: (readonly string[])[] = []
  const guide = {
    instructions: (references: readonly string[]) => {
      asked.push(references)
      return []
    },
    formatCall: () => 'show',
  }
  const { offloader } = setUp({ previewers: [reads({ text: REPORT })], includeRetrievalTool: false, guide })
  const outcome = await offloader.offload({ ...call, content: [pdf] })
  expect(asked).toEqual([[outcome.status === 'offloaded' && outcome.stored[1]?.reference]])
})

test('offloading the same document again gives the same bytes and entries', async () => {
  const { offloader, storage } = setUp({ previewers: [reads({ text: REPORT })] })
  const first = await offloader.offload({ ...call, content: [pdf] })
  const second = await offloader.offload({ ...call, content: [pdf] })
  expect(textOf(second)).toBe(textOf(first))
  expect(await count(storage)).toBe(2)
})

test('redacted text is in neither the preview nor the storage', async () => {
  const { offloader } = setUp({
    previewers: [reads({ text: REPORT })],
    redact: (text) => text.replaceAll('line 7 of', 'line [gone] of'),
  })
  const outcome = await offloader.offload({ ...call, content: [pdf] })
  const reference = outcome.status === 'offloaded' ? outcome.stored[1]?.reference : undefined
  expect(textOf(outcome)).not.toContain('line 7 of')
  const answer = await offloader.retrievalTool.execute({ reference, line_range: { start: 7, end: 7 } })
  expect(answer.content).toMatchObject([{ text: expect.stringContaining('line [gone] of the report') }])
})

test('the document is not stored if its text cannot be stored, and the result is unchanged', async () => {
  const { storage, failing } = storageWithoutTexts()
  const { offloader } = setUp({ storage: failing, previewers: [reads({ text: REPORT })] })
  const content = [pdf]
  const outcome = await offloader.offload({ ...call, content })
  expect(outcome).toMatchObject({ status: 'inline', reason: 'failed' })
  expect(outcome.content).toBe(content)
  expect(await count(storage)).toBe(0)
})

test.each([
  ['throws', () => new Error('broken')],
  ['returns a description that is not a text', () => ({ description: 5 })],
  ['returns invalid blocks', () => ({ blocks: [{ type: 'picture' }] })],
])('a previewer that %s affects only its preview, and an event reports it', async (_what, given) => {
  const result: unknown = given()
  const previewer = reads(
    result instanceof Error
      ? () => {
          throw result
        }
      : (result as MediaPreview),
  )
  const { offloader, events } = setUp({ previewers: [previewer] })
  const outcome = await offloader.offload({ ...call, content: [pdf] })
  expect(textOf(outcome)).toContain('[document: pdf, "report.pdf", 80,009 bytes]')
  expect(events).toMatchObject([{ type: 'preview-fallback', previewer: 'pdf', reason: 'failed' }, { type: 'offload' }])
})

test('a missing peer dependency is reported once for all scopes', async () => {
  const previewer = reads(() => {
    throw new MissingPeerError('some-peer')
  })
  const { offloader, events } = setUp({ previewers: [previewer] })
  await offloader.offload({ ...call, content: [pdf, pdf] })
  await offloader.forScope('other').offload({ ...call, content: [pdf] })
  expect(events.filter(({ type }) => type === 'preview-fallback')).toMatchObject([{ reason: 'peer-missing' }])
})

test('the signal ends the wait for a previewer that hangs, and the result is unchanged', async () => {
  const controller = new AbortController()
  const hanging: MediaPreviewer = {
    ...reads({}),
    read: () => {
      controller.abort()
      return new Promise(() => {})
    },
  }
  const { offloader, storage } = setUp({ previewers: [hanging] })
  const outcome = await offloader.offload({ ...call, content: [pdf], signal: controller.signal })
  expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', error: { code: 'aborted' } })
  expect(await count(storage)).toBe(0)
})

const photo: ContentBlock = { type: 'image', mediaType: 'image/png', data: new Uint8Array(2_000_000) }
const smaller = (bytes: number): ContentBlock => ({
  type: 'image',
  mediaType: 'image/webp',
  data: new Uint8Array(bytes),
})

test('blocks that a previewer adds follow the replacement, and their tokens are counted', async () => {
  const added = smaller(40_000)
  const { offloader } = setUp({ previewers: [reads({ description: '4000 × 3000', blocks: [added] })] })
  const note: ContentBlock = { type: 'text', text: 'a note' }
  const outcome = await offloader.offload({ ...call, content: [photo, note] })
  expect(textOf(outcome)).toContain('[image: png, 4000 × 3000, 2,000,000 bytes, smaller below]')
  expect(outcome.content.slice(1)).toEqual([added, note])
  const { tokens } = outcome as Extract<Outcome, { status: 'offloaded' }>
  expect(tokens.replacement).toBeGreaterThan(100)
  expect(offloader.meter().tokensShown).toBe(tokens.replacement)
  const without = await setUp().offloader.offload({ ...call, content: [photo, note] })
  expect(
    tokens.replacement - (without as typeof outcome & { tokens: typeof tokens }).tokens.replacement,
  ).toBeGreaterThan(99)
})

test.each([[1_500_000], [3_000_000]])(
  'blocks of %i bytes that do not fit are left out, and an event reports it',
  async (bytes) => {
    const { offloader, events } = setUp({ previewers: [reads({ blocks: [smaller(bytes)] })] })
    const outcome = await offloader.offload({ ...call, content: [photo] })
    expect(outcome.content).toHaveLength(1)
    expect(textOf(outcome)).not.toContain('smaller below')
    expect(events).toMatchObject([{ type: 'preview-fallback', reason: 'over-budget' }, { type: 'offload' }])
  },
)

const rows = `id,name\n${Array.from({ length: 9_000 }, (_, id) => `${id},name ${id}`).join('\n')}\n`

test('a document that is text is previewed by its type, and can itself be searched', async () => {
  const { offloader, storage } = setUp()
  const content: ContentBlock[] = [{ type: 'document', mediaType: 'text/csv', name: 'users.csv', data: encode(rows) }]
  const outcome = await offloader.offload({ ...call, content })
  expect(textOf(outcome)).toContain('[document: csv, "users.csv", ')
  expect(textOf(outcome)).toContain('9,000 rows')
  expect(await count(storage)).toBe(1)
  const reference = outcome.status === 'offloaded' ? outcome.stored[0]?.reference : undefined
  const answer = await offloader.retrievalTool.execute({ reference, pattern: 'name 8888$' })
  expect(answer.content).toMatchObject([{ text: expect.stringContaining('> 8890| 8888,name 8888') }])
})

test('a text document in UTF-16 or without a declared type can be searched, and is retrieved byte for byte', async () => {
  const wide = new Uint8Array(Uint16Array.from(`\uFEFF${rows}`, (character) => character.charCodeAt(0)).buffer)
  for (const [mediaType, data, contentType] of [
    ['text/csv', wide, 'text/csv'],
    ['application/octet-stream', wide, 'text/plain'],
    ['application/octet-stream', encode(rows), 'text/plain'],
  ] as const) {
    const { offloader, storage } = setUp()
    const content: ContentBlock[] = [{ type: 'document', mediaType, data }]
    for (const outcome of [
      await offloader.offload({ ...call, content }),
      await offloader.offloadStream({ ...call, chunks: pieces(data, 10_001), contentType: mediaType }),
    ]) {
      expect(textOf(outcome)).toContain('9,000 rows')
      expect(textOf(outcome)).toContain('line_range')
      const [stored] = outcome.status === 'offloaded' ? outcome.stored : []
      expect(stored?.contentType).toBe(contentType)
      const answer = await offloader.retrievalTool.execute({ reference: stored?.reference, pattern: 'name 8888$' })
      expect(answer.content).toMatchObject([{ text: expect.stringContaining('> 8890| 8888,name 8888') }])
      expect((await storage.retrieve(stored!.reference)).content).toEqual(data)
    }
  }
})

test('a text document counts with the tokens of its text, not of its bytes', async () => {
  const { offloader } = setUp()
  const data = encode(rows.slice(0, 16_000))
  const outcome = await offloader.offload({ ...call, content: [{ type: 'document', mediaType: 'text/csv', data }] })
  expect(outcome.status).toBe('offloaded')
  expect(outcome.tokens.original).toBeGreaterThan(4_000)
})

describe('media over maxMediaBytes', () => {
  const image = { type: 'image', mediaType: 'image/png', data: new Uint8Array(6_000_000) } as const

  test('are kept in the context, because they could not be retrieved', async () => {
    const { offloader } = setUp()
    const content: ContentBlock[] = [image, { type: 'text', text: rows }]
    const outcome = await offloader.offload({ ...call, content })
    expect(outcome.content).toEqual([expect.objectContaining({ type: 'text' }), image])
    expect(textOf(outcome)).toMatch(/^\[Offloaded: 1 block, /)
    expect(await offloader.offload({ ...call, content: [image] })).toMatchObject({
      status: 'inline',
      reason: 'not-storable',
    })
  })

  test('are stored and returned whole if the option allows it', async () => {
    for (const maxMediaBytes of [6_000_000, Infinity]) {
      const { offloader } = setUp({ maxMediaBytes })
      const outcome = await offloader.offload({ ...call, content: [image] })
      const reference = outcome.status === 'offloaded' ? outcome.stored[0]?.reference : undefined
      const answer = await offloader.retrievalTool.execute({ reference })
      expect(answer).toMatchObject({ isError: false, content: [{ type: 'image', mediaType: 'image/png' }] })
    }
  })

  test('are stored if their text can be searched', async () => {
    const { offloader } = setUp({ maxMediaBytes: 1_000 })
    const content: ContentBlock[] = [{ type: 'document', mediaType: 'text/csv', data: encode(rows) }]
    expect((await offloader.offload({ ...call, content })).status).toBe('offloaded')
  })
})

test('a text document is stored after redaction', async () => {
  const { offloader, storage } = setUp({ redact: (text) => text.replaceAll('name 5\n', 'gone\n') })
  const content: ContentBlock[] = [{ type: 'document', mediaType: 'text/csv', data: encode(rows) }]
  const outcome = await offloader.offload({ ...call, content })
  const [stored] = outcome.status === 'offloaded' ? outcome.stored : []
  const { content: bytes, contentType } = await storage.retrieve(stored!.reference)
  expect(contentType).toBe('text/csv')
  expect(new TextDecoder().decode(bytes)).toBe(rows.replaceAll('name 5\n', 'gone\n'))
})

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(size)
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size)
    buffer.set(piece)
    yield buffer.subarray(0, piece.length)
  }
}

test('a stream gets the type that its first bytes show', async () => {
  const { offloader } = setUp()
  const png = new Uint8Array(3_000_000)
  png.set(encode('\x89PNG\r\n\x1a\n').subarray(1))
  png.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 3, 32, 0, 0, 2, 88])
  const outcome = await offloader.offloadStream({ ...call, chunks: pieces(png, 65_536) })
  expect(textOf(outcome)).toContain('[image: png, 800 × 600, 3,000,000 bytes]')
  expect(outcome).toMatchObject({ stored: [{ type: 'image', contentType: 'image/png', size: 3_000_000 }] })
})

test('the text of a streamed document is stored too', async () => {
  const data = (pdf as { data: Uint8Array }).data
  let seen: Uint8Array | undefined
  const previewer: MediaPreviewer = {
    ...reads({}),
    read: async (bytes) => {
      seen = bytes
      return { description: '12 pages', text: REPORT }
    },
  }
  const { offloader, storage } = setUp({ previewers: [previewer] })
  const outcome = await offloader.offloadStream({ ...call, chunks: pieces(data, 1_000) })
  expect(seen).toEqual(data)
  expect(textOf(outcome)).toContain('[document: pdf, 12 pages, 80,009 bytes]')
  expect(outcome).toMatchObject({ stored: [{ contentType: 'application/pdf' }, { type: 'text' }] })
  expect(await count(storage)).toBe(2)
})

test.each(['offload', 'offloadStream'] as const)(
  'each of two documents with the same call id leads to its own text, stored by %s',
  async (method) => {
    let month = ''
    const previewer: MediaPreviewer = { ...reads({}), read: async () => ({ text: `${REPORT}\n${month} total` }) }
    const session = setUp({ previewers: [previewer] }).offloader.forScope('a')
    const references: string[] = []
    for (month of ['January', 'February']) {
      const data = encode(`%PDF-1.7\n${month}${'\0'.repeat(80_000)}`)
      const content: ContentBlock[] = [{ type: 'document', mediaType: 'application/pdf', data }]
      const outcome =
        method === 'offload'
          ? await session.offload({ ...call, content })
          : await session.offloadStream({ ...call, chunks: pieces(data, 9_000) })
      references.push(outcome.status === 'offloaded' ? outcome.stored[0]!.reference : '')
    }
    for (const [index, name] of ['January', 'February'].entries()) {
      const refused = await session.retrievalTool.execute({ reference: references[index], pattern: 'total' })
      const [block] = refused.content
      const told: unknown = block?.type === 'text' && /(\{.*\})/.exec(block.text)?.[1]
      const answer = await session.retrievalTool.execute(JSON.parse(String(told)))
      expect(answer.content).toMatchObject([{ text: expect.stringContaining(`${name} total`) }])
    }
  },
)

test('a stream of media is stored even if its text cannot be stored', async () => {
  const { failing } = storageWithoutTexts()
  const { offloader, events } = setUp({ storage: failing, previewers: [reads({ text: REPORT })] })
  const data = (pdf as { data: Uint8Array }).data
  const outcome = await offloader.offloadStream({ ...call, chunks: pieces(data, 1_000) })
  expect(outcome).toMatchObject({ status: 'offloaded', stored: [{ contentType: 'application/pdf' }] })
  expect(events).toMatchObject([{ type: 'preview-fallback', reason: 'failed' }, { type: 'offload' }])
})

test('a very long file name costs as many tokens as a text of that length', async () => {
  const name = 'x y '.repeat(10_000)
  const { offloader } = setUp()
  const document: ContentBlock = { type: 'document', mediaType: 'application/pdf', name, data: encode('%PDF-1.7') }
  const offloaded = await offloader.offload({ ...call, content: [document] })
  expect(textOf(offloaded).length).toBeLessThan(2_000)
  const link: ContentBlock = { type: 'link', url: 'https://example.com/a', name }
  const kept = await offloader.offload({ ...call, content: [link] })
  expect(kept).toMatchObject({ status: 'inline', reason: 'not-storable' })
  expect(kept.tokens.original).toBeGreaterThan(5_000)
})

describe('files in Base64 inside a text', () => {
  const png = Uint8Array.from({ length: 30_000 }, (_, at) => '\x89PNG\r\n\x1a\n'.charCodeAt(at) || (at * 31) % 251)
  const base64 = Buffer.from(png).toString('base64')
  const bytesOf = async (storage: Storage, reference = ''): Promise<Buffer> =>
    Buffer.from((await storage.retrieve(reference)).content)

  test.each<[string, ContentBlock, string]>([
    ['JSON', { type: 'json', value: { title: 'A page', shot: `data:image/png;base64,${base64}`, done: true } }, 'done'],
    [
      'JSON in a string of JSON',
      { type: 'json', value: { text: JSON.stringify([{ mimeType: 'image/png', data: base64 }]), done: true } },
      'done',
    ],
    ['HTML', { type: 'text', text: `<p>A page<img src="data:image/png;base64,${base64}"></p>` }, 'A page'],
    ['a text', { type: 'text', text: `$ base64 shot.png\n${base64.replaceAll(/.{76}/g, '$&\n')}\ndone\n` }, 'done'],
  ])('are stored as media, and shown as a placeholder in the preview of %s', async (_, block, word) => {
    const { offloader, storage } = setUp()
    const outcome = await offloader.offload({ ...call, content: [block] })
    const text = textOf(outcome)
    const [whole, image] = outcome.status === 'offloaded' ? outcome.stored : []
    expect(image).toMatchObject({ type: 'image', contentType: 'image/png', size: 30_000 })
    expect(text).toContain(`[image: png, 30,000 bytes, stored as ${image?.reference}]`)
    expect(text).toContain(`\n  ${image?.reference} (image/png of ${whole?.reference}, 30,000 bytes)`)
    expect(text).toContain(word)
    expect(text).not.toContain(base64.slice(100, 150))
    expect((await bytesOf(storage, image?.reference)).equals(png)).toBe(true)
    const original = block.type === 'text' ? block.text : JSON.stringify(Object(block).value, null, 2)
    expect((await bytesOf(storage, whole?.reference)).toString()).toBe(original)
    const answer = await offloader.retrievalTool.execute({ reference: image?.reference })
    expect(answer.content).toContainEqual(expect.objectContaining({ type: 'image', data: png }))
  })

  test('do not change the line numbers of the text', async () => {
    const { offloader } = setUp()
    const text = `${base64.replaceAll(/.{76}/g, '$&\n')}\n${REPORT}`
    const outcome = await offloader.offload({ ...call, content: [{ type: 'text', text }] })
    expect(textOf(outcome)).toContain(`, ${text.split('\n').length.toLocaleString('en-US')} lines)\n`)
  })

  test('get at most sixteen references, and all files are kept in the text', async () => {
    const { offloader, storage } = setUp()
    const urls = Array.from(
      { length: 2_000 },
      (_, at) => `data:image/png;base64,${Buffer.from(png.slice(0, 400 + at)).toString('base64')}`,
    )
    const text = `${urls.join('\n')}\n${'data:image/gif;base64,R0lGODlhAQABAAAAACw= '.repeat(100_000)}`
    const outcome = await offloader.offload({ ...call, content: [{ type: 'text', text }] })
    const stored = outcome.status === 'offloaded' ? outcome.stored : []
    expect(stored).toHaveLength(17)
    expect(Math.min(...stored.map(({ size }) => size))).toBe(2_384)
    expect((await bytesOf(storage, stored[0]?.reference)).toString()).toBe(text)
    expect(await count(storage)).toBe(17)
  })

  test('are shown without a reference if they are too large for the retrieval tool', async () => {
    const { offloader, storage } = setUp({ maxMediaBytes: 20_000 })
    const block = { type: 'json' as const, value: { shot: `data:image/png;base64,${base64}` } }
    expect(textOf(await offloader.offload({ ...call, content: [block] }))).toContain('[image: png, 30,000 bytes]')
    expect(await count(storage)).toBe(1)
  })

  test('are not stored if the text is kept in the context', async () => {
    const { offloader, storage } = setUp({ maxResultTokens: 100_000 })
    const content: ContentBlock[] = [{ type: 'text', text: `data:image/png;base64,${base64}` }]
    expect((await offloader.offload({ ...call, content })).content).toBe(content)
    expect(await count(storage)).toBe(0)
  })

  test('are stored with their text if they are a PDF', async () => {
    const { offloader } = setUp({ previewers: [reads({ description: '12 pages', text: REPORT })] })
    const data = 'data' in pdf && pdf.data instanceof Uint8Array ? pdf.data : new Uint8Array()
    const value = { mimeType: 'application/pdf', blob: Buffer.from(data).toString('base64') }
    const outcome = await offloader.offload({ ...call, content: [{ type: 'json', value }] })
    const [, document, readable] = outcome.status === 'offloaded' ? outcome.stored : []
    expect(textOf(outcome)).toContain(`[document: pdf, 12 pages, 80,009 bytes, stored as ${document?.reference}]`)
    expect(textOf(outcome)).toContain(`\n  ${readable?.reference} (text of ${document?.reference}, `)
  })
})

describe('bytes in place of JSON', () => {
  const offload = (value: unknown, options: Partial<ContextOffloaderOptions> = {}): Promise<Outcome> =>
    setUp(options).offloader.offload({ ...call, content: [{ type: 'json', value }] })

  test('are stored as a file of their own type', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(50_000, '\0'), 'latin1')
    expect(textOf(await offload(png))).toMatch(/\[image: .*50,000 bytes\]\n[^]*\(image\/png, 50,000 bytes\)/)
  })

  test('are stored as text that can be searched if they are text', async () => {
    const { offloader } = setUp()
    const outcome = await offloader.offload({ ...call, content: [{ type: 'json', value: encode(REPORT) }] })
    expect(textOf(outcome)).toContain('line 1 of the report')
    const [reference] = outcome.status === 'offloaded' ? outcome.stored.map((one) => one.reference) : []
    expect(await offloader.retrievalTool.execute({ reference, pattern: 'line 777 ' })).toMatchObject({ matches: 1 })
  })

  test('are redacted if they are text', async () => {
    const outcome = await offload(encode(REPORT), { redact: (text) => text.replaceAll('report', '***') })
    expect(textOf(outcome)).toContain('line 1 of the ***')
  })

  test('stay if they are few', async () => {
    const few = new Uint8Array(200)
    expect(await offload(few)).toMatchObject({ status: 'inline', content: [{ type: 'json', value: few }] })
  })
})
