import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { FileIndex } from './file-index.ts'
import type { ServedStorage } from './listing-storage.ts'

it('finds every file where there are more than it remembers', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('tenant') as ServedStorage
  for (let number = 0; number < 20; number += 1)
    await storage.store(`/x_${number}@1`, new Uint8Array([number]), 'text/plain', { metadata: { 'file-version': '1' } })
  const index = new FileIndex(storage, { maxRemembered: 5 })
  for (let number = 0; number < 20; number += 1) expect((await index.find(`x_${number}`))?.path).toBe(`x_${number}`)
  expect(await index.find('x_20')).toBeUndefined()
  expect((await index.list()).length).toBe(20)
})

describe('a listing soon after another', () => {
  /** A storage that notes which references it was asked to describe. */
  function noted(): {
    storage: ServedStorage
    index: FileIndex
    described: string[]
    store: (path: string) => Promise<string>
  } {
    const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('tenant') as ServedStorage
    const described: string[] = []
    const list: ServedStorage['list'] = async function* (options) {
      for await (const info of storage.list(options)) {
        described.push(info.reference)
        yield info
      }
    }
    const view = new Proxy(storage, {
      get: (target, name) => (name === 'list' ? list : Reflect.get(target, name, target)),
    })
    const metadata = { 'file-version': '1' }
    const store = (path: string): Promise<string> =>
      storage.store(`/${path}@1`, new TextEncoder().encode(path), 'text/plain', { metadata })
    return { storage, index: new FileIndex(view), described, store }
  }
  const paths = async (index: FileIndex): Promise<string[]> => (await index.list()).map(({ path }) => path)

  it('asks only for what has come since', async () => {
    const { index, described, store } = noted()
    for (const path of ['a', 'b', 'c']) await store(path)
    expect(await paths(index)).toEqual(['a', 'b', 'c'])
    described.length = 0
    const reference = await store('d')
    expect(await paths(index)).toEqual(['a', 'b', 'c', 'd'])
    expect(await index.find('d')).toMatchObject({ reference })
    expect(await index.find('e')).toBeUndefined()
    expect(described).toEqual([reference])
  })

  it('asks for all where something was found to have gone', async () => {
    const { storage, index, described, store } = noted()
    const [first = '', second = ''] = await Promise.all(['a', 'b', 'c'].map(store))
    await index.list()
    await storage.delete(first)
    await storage.delete(second)
    const [gone] = await index.list()
    described.length = 0
    index.forget(gone!)
    expect(await paths(index)).toEqual(['c'])
    expect(described).toHaveLength(1)
  })

  it('asks for all where what it remembers has become old', async () => {
    const { storage, store } = noted()
    const index = new FileIndex(storage, { trustedMs: 0 })
    const reference = await store('a')
    await index.list()
    await storage.delete(reference)
    expect(await paths(index)).toEqual([])
  })

  it('asks for all where there is more than it remembers', async () => {
    const { storage, store } = noted()
    const index = new FileIndex(storage, { maxRemembered: 2 })
    for (const [count, path] of ['a', 'b', 'c', 'd'].entries()) {
      await store(path)
      expect(await paths(index)).toHaveLength(count + 1)
    }
  })
})

it('forgets the oldest of what was added where there is too much of it, and finds it again', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('tenant') as ServedStorage
  const index = new FileIndex(storage, { maxRemembered: 2 })
  for (let number = 0; number < 4; number += 1) {
    const content = new Uint8Array([number])
    const metadata = { 'file-version': '1' }
    const reference = await storage.store(`/x_${number}@1`, content, 'text/plain', { metadata })
    const digest = `${number}`
    index.add({ path: `x_${number}`, reference, contentType: 'text/plain', size: 1, storedAt: number, digest })
  }
  expect(index.peek('x_0')).toBeUndefined()
  expect((await index.find('x_0'))?.path).toBe('x_0')
})
