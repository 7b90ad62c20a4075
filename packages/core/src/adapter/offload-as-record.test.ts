import { expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { offloadAsRecord } from './offload-as-record.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const ONE_LINE = 'lorem ipsum '.repeat(5_000)
const ROWS = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `user ${id}` }))
const REPLACED = expect.stringMatching(/^\[Offloaded: /) as unknown

interface Told {
  readonly isError: boolean
}

/** Offload a value, and return what takes its place, what was stored, and what the offloader was told. */
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
])('leaves %s that is small', async (_what, value) => {
  expect(await offload(value)).toEqual({ replaced: undefined, stored: [], told: [] })
})

it('puts the replacement of a string where frameworks put the string', async () => {
  const { replaced, stored } = await offload(LOG)
  expect(replaced).toEqual({ result: REPLACED })
  expect(stored).toEqual([LOG])
})

it.each([
  ['an array', ROWS],
  ['an object', { rows: ROWS }],
  ['a text of one line beside a value', { title: 'Users', text: ONE_LINE }],
  ['a long text beside much else', { log: LOG, rows: ROWS }],
  ['an object that has a form of its own as JSON', { log: LOG, toJSON: () => ROWS }],
  ['content whose parts are not all known', { content: [{ type: 'text', text: LOG }, { type: 'chart' }] }],
  ['content that is not made of parts', { content: [LOG] }],
  ['content that is empty', { content: [], rows: ROWS }],
  ['a few bytes', new Uint8Array(5_000)],
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
])('stores the text of an object that has only the field %s', async (name, text) => {
  const { replaced, stored, told } = await offload({ [name]: text })
  expect(replaced).toEqual({ [name]: REPLACED })
  expect(stored).toEqual([text])
  expect(told).toMatchObject([{ isError: name === 'error' }])
})

it('replaces a long text in its field, and keeps short fields beside it in their order', async () => {
  const value = { status: 'ok', stdout: LOG, stderr: 'a warning', code: 0, headers: { a: [1] } }
  const { replaced, stored } = await offload(value)
  expect(replaced).toEqual({ ...value, stdout: REPLACED })
  expect(Object.keys(replaced ?? {})).toEqual(Object.keys(value))
  expect(stored).toEqual([LOG])
})

it('takes the names of properties that every object has for fields like others', async () => {
  const value = JSON.parse(JSON.stringify({ code: 0, log: LOG }).replace('log', '__proto__')) as object
  const { replaced, stored } = await offload(value)
  expect(Object.keys(replaced ?? {})).toEqual(['code', '__proto__'])
  expect(stored).toEqual([LOG])
})

it.each([
  ['an error in words beside a code', { error: LOG, code: 7 }, { error: REPLACED, code: 7 }],
  ['an error that is an object', { error: { stderr: ROWS } }, { error: REPLACED }],
  ['a value beside an error', { error: 'no', rows: ROWS }, { error: REPLACED }],
  [
    'an MCP error',
    { isError: true, content: [{ type: 'text', text: LOG }] },
    { isError: true, content: [{ type: 'text', text: REPLACED }] },
  ],
])('keeps %s an error, and says that it is one', async (_what, value, expected) => {
  const { replaced, told } = await offload(value)
  expect(replaced).toEqual(expected)
  expect(told).toMatchObject([{ isError: true }])
})

it.each([{ error: null }, { error: '' }, { error: undefined }, { isError: false }, { isError: 'yes' }])(
  'takes an object with %j for no error',
  async (mark) => {
    const { told } = await offload({ ...mark, rows: ROWS })
    expect(told).toMatchObject([{ isError: false }])
  },
)

it('replaces parts of an MCP result, and keeps the very others with all else of it', async () => {
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

it('stores the bytes of an image in an MCP result, and writes what previewers add as its parts', async () => {
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

it('stores many bytes as they are, under the type that they begin with', async () => {
  const storage = tinyStorage()
  const offloader = new ContextOffloader({ storage })
  const bytes = new Uint8Array(1_200_010)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 10)
  const value = new DataView(bytes.buffer, 10)
  const replaced = await offloadAsRecord(offloader, { toolName: 'read', toolCallId: 'call_1', value })
  expect(replaced).toEqual({ result: expect.stringContaining('[image: png, 1,200,000 bytes]') })
  const [reference = ''] = /call_1\w+/.exec(String(replaced?.['result'])) ?? []
  expect(await storage.retrieve(reference)).toEqual({ content: bytes.subarray(10), contentType: 'image/png' })
})

it('counts structured content, and takes it out with what else is stored', async () => {
  const content = [{ type: 'text', text: 'three thousand users' }]
  const { replaced, stored } = await offload({ content, structuredContent: { rows: ROWS } })
  expect(replaced).toEqual({ content: [{ type: 'text', text: REPLACED }, content[0]] })
  expect(stored).toEqual([JSON.stringify({ structuredContent: { rows: ROWS } }, undefined, 2)])
})

it('changes no value that it is given', async () => {
  const value = Object.freeze({ status: 'ok', log: LOG })
  const result = Object.freeze({ content: Object.freeze([Object.freeze({ type: 'text', text: LOG })]) })
  for (const one of [value, result]) {
    const before = structuredClone(one)
    await offload(one)
    expect(one).toEqual(before)
  }
})

it('leaves what JSON cannot express, and never rejects because of it', async () => {
  const cycle: Record<string, unknown> = { log: LOG }
  cycle['self'] = cycle
  let deep: unknown = 'end'
  for (let level = 0; level < 20_000; level += 1) deep = [deep]
  for (const value of [cycle, { log: LOG, size: 7n }, { log: LOG, deep }])
    expect((await offload(value)).replaced).toBeUndefined()
})
