import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { encodeBase64 } from './media-source.ts'
import { offloadModelOutput } from './offload-model-output.ts'

const CALL = { toolName: 'read', toolCallId: 'call_1', input: {} }
const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
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
  ])('replaces %s, and keeps what else the output has', async (type, value, newType) => {
    const output = { type, value, providerOptions: OPTIONS, ofTheFuture: 1 }
    const before = structuredClone(output)
    expect(await offload(output)).toEqual({ ...output, type: newType, value: REPLACED })
    expect(output).toEqual(before)
  })

  it('tells the offloader which outputs are errors', async () => {
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
  ])('adds what a previewer made in the form of the part that it stands for: %s', async (_form, part, type) => {
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

  it('puts the replacement before the very parts that stay', async () => {
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

  it('names a small text that stays beside others', async () => {
    const small = { type: 'text', text: 'two users', filename: 'file:///users.md', mediaType: 'text/markdown' }
    const { value } = await offload({ type: 'content', value: [small, { type: 'text', text: LOG }] })
    expect(value.slice(1)).toEqual([{ type: 'text', text: '==> file:///users.md <==\ntwo users' }])
  })

  it('gives the replacement the provider options of the texts that it replaces, and of nothing else', async () => {
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
  ])('returns what it cannot replace as it is: %o', async (output) => {
    expect(await offload(output)).toBe(output)
  })

  it('returns every output within the limit as the very object', async () => {
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

  it('returns the original where storing fails', async () => {
    const storage = tinyStorage()
    storage.store = () => Promise.reject(new Error('down'))
    const output = { type: 'text', value: LOG }
    const outcome = await offloadModelOutput(new ContextOffloader({ storage }), CALL, output)
    expect(outcome).toEqual({ output, reason: 'failed' })
    expect(outcome.output).toBe(output)
  })
})
