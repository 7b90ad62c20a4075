import { describe, expect, test } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { bytes, collect, stream } from '../conformance/sample.ts'
import type { Storage } from '../storage/storage.ts'
import { adoptStorage } from './adopt-storage.ts'

/** A third-party storage: a map with two methods. */
function twoMethods(): Storage {
  const entries = new Map<string, { content: Uint8Array; contentType: string }>()
  return {
    async store(key, content, contentType = 'text/plain') {
      entries.set(key, { content: content.slice(), contentType })
      return key
    },
    retrieve: async (reference) => entries.get(reference) as never,
  }
}

describe('a storage with two methods', () => {
  test('has none of the optional capabilities', () => {
    expect(adoptStorage(twoMethods()).can).toEqual({ list: false, delete: false, locate: false, openEntry: false })
  })

  test('receives streams as one array of bytes', async () => {
    const storage = twoMethods()
    const adopted = adoptStorage(storage)
    const chunk = bytes('ab')
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      yield chunk
      // A source may fill the same buffer again.
      chunk.set(bytes('cd'))
      yield chunk
    }
    expect(await adopted.storeStream('call_1', chunks(), 'text/csv')).toBe('call_1')
    expect(await storage.retrieve('call_1')).toEqual({ content: bytes('abcd'), contentType: 'text/csv' })
  })

  test('can be opened and read in parts', async () => {
    const adopted = adoptStorage(twoMethods())
    await adopted.store('call_1', bytes('one\ntwo\n'))
    const content = await adopted.open('call_1')
    expect(await content.read(4, 3)).toEqual(bytes('two'))
    expect((await content.lineIndex()).lines).toBe(2)
    await content.close()
    await expect(adopted.open('call_2')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('does not list, remove, evict or locate entries', async () => {
    const adopted = adoptStorage(twoMethods())
    await adopted.store('call_1', bytes('content'))
    expect(await collect(adopted.list())).toEqual([])
    await adopted.delete('call_1')
    expect(await adopted.endTurn()).toEqual({ evicted: [] })
    expect(adopted.locate('call_1')).toBeUndefined()
    expect(await adopted.retrieve('call_1')).toMatchObject({ content: bytes('content') })
  })
})

test('a storage with all methods uses its own methods', async () => {
  const storage = tinyStorage({ evictAfterTurns: 1 })
  const adopted = adoptStorage(storage)
  expect(adopted.can).toEqual({ list: true, delete: true, locate: true, openEntry: true })
  const first = await adopted.storeStream('call_1', stream(bytes('a'), bytes('b')))
  const second = await adopted.store('call_2', bytes('content'))
  expect(adopted.locate(first)).toEqual(storage.locate?.(first))
  await adopted.delete(second)
  expect((await collect(adopted.list())).map(({ reference }) => reference)).toEqual([first])
  await adopted.endTurn()
  expect((await adopted.endTurn()).evicted).toMatchObject([{ reference: first }])
})

test('calls of an adopted storage go through the given function', async () => {
  const called: string[] = []
  const content = await adoptStorage({
    store: async (key) => key,
    retrieve: () => Promise.reject(new Error('disk')),
    retrieveRange: async (_reference, { offset, length }) => ({
      content: bytes('content').slice(offset, offset + length),
      contentType: 'text/plain',
      size: 7,
    }),
  }).open('call_1', {
    call: async (reference, run) => {
      called.push(reference)
      return await run()
    },
  })
  expect(await content.read(0, 7)).toEqual(bytes('content'))
  expect(called).toEqual(['call_1'])
})
