import { afterEach, describe, expect, test, vi } from 'vitest'
import { LineIndexBuilder, type LineIndex, concatBytes } from '@spillway/text/internal'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { DEFAULT_CONTENT_CACHE_BYTES, MAX_WHOLE_BYTES, setContentCacheBytes } from '../storage/cached-content.ts'
import type { OpenContent, Storage } from '../storage/storage.ts'
import { openContentSource, withContentSource, type ContentSource, type ReadableStorage } from './content-source.ts'

const close = async (): Promise<void> => undefined
const BLOCK_BYTES = 300_000
const small = pattern(1_000_000)
const large = pattern(MAX_WHOLE_BYTES + 1_234_567)

/** Bytes that tell where they are, lines among them. */
function pattern(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 1) bytes[at] = (at * 7 + (at >> 8) * 3 + (at >> 16)) & 255
  return bytes
}

function indexOf(bytes: Uint8Array): LineIndex {
  const builder = new LineIndexBuilder()
  builder.add(bytes)
  return builder.finish()
}

/** Every way in which a storage may be read. */
async function storagesOf(content: Uint8Array): Promise<readonly (readonly [string, ReadableStorage, string])[]> {
  const storage = tinyStorage()
  const reference = await storage.store('content', content)
  const retrieve: Storage['retrieve'] = (...parameters) => storage.retrieve(...parameters)
  const retrieveRange: Required<Storage>['retrieveRange'] = (...parameters) => storage.retrieveRange(...parameters)
  return [
    ['opened', storage, reference],
    ['by ranges', { retrieve, retrieveRange }, reference],
    [
      'by ranges that are cut short',
      {
        retrieve,
        retrieveRange: (name, { offset, length }) => retrieveRange(name, { offset, length: Math.min(length, 400_000) }),
      },
      reference,
    ],
    ['as a whole', { retrieve }, reference],
  ]
}

async function collect(source: ContentSource, ...parameters: Parameters<ContentSource['blocks']>): Promise<Uint8Array> {
  const blocks: Uint8Array[] = []
  for await (const block of source.blocks(...parameters)) blocks.push(block.slice())
  return concatBytes(
    blocks,
    blocks.reduce((size, block) => size + block.length, 0),
  )
}

afterEach(() => {
  setContentCacheBytes(0)
  setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES)
})

describe('openContentSource', () => {
  test.each([
    ['small', small],
    ['large', large],
    ['empty', new Uint8Array(0)],
  ])('reads %s content right in every way, again and again', async (_size, content) => {
    const { lines } = indexOf(content)
    for (const [way, storage, reference] of await storagesOf(content)) {
      const times = content === large ? 1 : 2
      for (let time = 0; time < times; time += 1) {
        await withContentSource(storage, reference, { blockBytes: BLOCK_BYTES }, async (source) => {
          expect([way, source.contentType, source.size]).toEqual([way, 'text/plain', content.length])
          for (const transient of [false, true])
            expect(Buffer.compare(await collect(source, 0, undefined, { transient }), content)).toBe(0)
          const middle = Math.floor(content.length / 2)
          const part = content.subarray(middle, middle + 250_000)
          expect(Buffer.compare(await collect(source, middle, middle + 250_000), part)).toBe(0)
          expect(Buffer.compare(await source.read(middle, 250_000), part)).toBe(0)
          expect(Buffer.compare(await source.whole(), content)).toBe(0)
          expect(await source.read(content.length, 5)).toHaveLength(0)
          expect((await source.lineIndex()).lines).toBe(lines)
        })
      }
    }
  })

  test('gives a whole that the caller may change', async () => {
    for (const [, storage, reference] of await storagesOf(small)) {
      const options = { blockBytes: BLOCK_BYTES }
      await withContentSource(storage, reference, options, async (source) => (await source.whole()).fill(0))
      await withContentSource(storage, reference, options, async (source) => {
        expect(Buffer.compare(await source.whole(), small)).toBe(0)
      })
    }
  })

  test('asks a storage of others for no content a second time', async () => {
    const [, ranges, , whole] = await storagesOf(small)
    for (const [, storage, reference] of [ranges!, whole!]) {
      const retrieve = vi.spyOn(storage, 'retrieve')
      const range = storage.retrieveRange && vi.spyOn(storage as Required<ReadableStorage>, 'retrieveRange')
      const question = (): Promise<Uint8Array> =>
        withContentSource(storage, reference, { blockBytes: BLOCK_BYTES }, (source) => collect(source))
      await question()
      retrieve.mockClear()
      range?.mockClear()
      expect(Buffer.compare(await question(), small)).toBe(0)
      expect(retrieve).not.toHaveBeenCalled()
      // A storage with ranges is asked whether it has the content still.
      expect(range?.mock.calls.map(([, asked]) => asked)).toEqual(range && [{ offset: 0, length: 1 }])
    }
  })

  test('sees at once that a storage of others has something no more, where it has ranges', async () => {
    const storage = tinyStorage()
    const reference = await storage.store('content', small)
    const others: ReadableStorage = {
      retrieve: (...parameters) => storage.retrieve(...parameters),
      retrieveRange: (...parameters) => storage.retrieveRange(...parameters),
    }
    await withContentSource(others, reference, { blockBytes: BLOCK_BYTES }, (source) => collect(source))
    await storage.delete(reference)
    await expect(openContentSource(others, reference, { blockBytes: BLOCK_BYTES })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  test.each([undefined, null])('rejects with not-found where a storage opens %s', async (opened) => {
    const storage = { retrieve: async () => opened, open: async () => opened } as unknown as ReadableStorage
    const { retrieve } = storage
    for (const one of [storage, { retrieve }, { retrieve, retrieveRange: retrieve }] as ReadableStorage[])
      await expect(openContentSource(one, 'a', { blockBytes: 10 })).rejects.toMatchObject({ code: 'not-found' })
  })

  test.each([
    {},
    { contentType: 'text/plain', size: 3, close },
    { contentType: 'text/plain', size: -1, read: async () => small, close },
    { size: 3, read: async () => small, close },
  ])('rejects with corrupt where a storage opens anything but content: %j', async (opened) => {
    const storage = { retrieve: async () => undefined, open: async () => opened } as unknown as ReadableStorage
    await expect(openContentSource(storage, 'a', { blockBytes: 10 })).rejects.toMatchObject({ code: 'corrupt' })
  })

  test.each([undefined, 'abc', new Uint8Array(2), new Uint8Array(4)])(
    'rejects with corrupt where opened content gives anything but the bytes asked for: %s',
    async (given) => {
      const opened = { contentType: 'text/plain', size: 3, read: async () => given, close }
      const storage = { retrieve: async () => undefined, open: async () => opened } as unknown as ReadableStorage
      const source = await openContentSource(storage, 'a', { blockBytes: 10 })
      await expect(source.read(0, 3)).rejects.toMatchObject({ code: 'corrupt' })
      await expect(collect(source)).rejects.toMatchObject({ code: 'corrupt' })
    },
  )
})

describe('withContentSource', () => {
  test('closes what opens only after it was aborted', async () => {
    const { promise: opening, resolve } = Promise.withResolvers<OpenContent>()
    const { promise: closed, resolve: noteClosed } = Promise.withResolvers<void>()
    const storage: ReadableStorage = { retrieve: () => Promise.reject(new Error('not used')), open: () => opening }
    const controller = new AbortController()
    const options = { blockBytes: 10, signal: controller.signal }
    const using = withContentSource(storage, 'a', options, async () => undefined)
    controller.abort()
    await expect(using).rejects.toMatchObject({ code: 'aborted' })
    const read = async (): Promise<Uint8Array> => small
    resolve({ contentType: 'text/plain', size: 0, read, close: async () => noteClosed() })
    await closed
  })

  test('closes, also where using the content fails', async () => {
    const closed = vi.fn<() => Promise<void>>(close)
    const opened = { contentType: 'text/plain', size: 0, read: async () => new Uint8Array(0), close: closed }
    const storage = { retrieve: async () => undefined, open: async () => opened } as unknown as ReadableStorage
    await withContentSource(storage, 'a', { blockBytes: 10 }, async () => undefined)
    const failing = withContentSource(storage, 'a', { blockBytes: 10 }, () =>
      Promise.reject(new Error('of the caller')),
    )
    await expect(failing).rejects.toThrow('of the caller')
    expect(closed).toHaveBeenCalledTimes(2)
  })
})
