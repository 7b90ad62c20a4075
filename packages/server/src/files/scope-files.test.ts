import type { Storage } from '@spillway/core'
import { StoredFiles } from '@spillway/core/files'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { virtualPath } from './file-record.ts'
import { ScopeFiles, type ServedStorage } from './scope-files.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const file = (text: string): { content: Uint8Array; contentType: string } => ({
  content: encode(text),
  contentType: 'text/plain',
})

const memory = (now = Date.now): ServedStorage =>
  new InMemoryStorage({ evictAfterTurns: null, now }).scope('tenant') as ServedStorage

/** Wrap a storage, and count its listings. */
function counted(storage: ServedStorage): { readonly storage: ServedStorage; readonly lists: () => number } {
  let lists = 0
  const handler: ProxyHandler<ServedStorage> = {
    get(target, name) {
      if (name === 'list') lists += 1
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }
  return { storage: new Proxy(storage, handler), lists: () => lists }
}

async function textOf(files: ScopeFiles, path: string): Promise<string | undefined> {
  const found = await files.find(path)
  return found && new TextDecoder().decode((await files.storage.retrieve(found.reference)).content)
}

describe('ScopeFiles', () => {
  it('uses the requested name for the first content, and the next free name for other content', async () => {
    const files = new ScopeFiles(memory())
    const names = ['a/x.txt', 'a/x_1.txt', 'a/x_2.txt']
    const paths: string[] = []
    const made: boolean[] = []
    for (const text of ['one', 'two', 'one', 'three', 'two']) {
      const { file: stored, created } = await files.store(names, file(text))
      paths.push(stored.path)
      made.push(created)
    }
    expect(paths).toEqual(['a/x.txt', 'a/x_1.txt', 'a/x.txt', 'a/x_2.txt', 'a/x_1.txt'])
    expect(made).toEqual([true, true, false, true, false])
    expect(await textOf(files, 'a/x_1.txt')).toBe('two')
    await expect(files.store(names, file('four'))).rejects.toMatchObject({ code: 'invalid-key' })
  })

  it('keeps names unique between processes that store at the same time', async () => {
    const storage = memory()
    const processes = Array.from({ length: 5 }, () => new ScopeFiles(storage))
    // All processes have listed the empty storage.
    await Promise.all(processes.map((one) => one.find('x.txt')))
    function* names(): Generator<string> {
      for (let number = 0; ; number += 1) yield `x_${number}.txt`
    }
    const stored = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const text = `text ${index % 10}`
        return [text, (await processes[index % 5]!.store(names(), file(text))).file.path] as const
      }),
    )
    const byText = new Map(stored)
    expect(new Set(byText.values()).size).toBe(10)
    for (const [text, path] of stored) {
      expect(byText.get(text)).toBe(path)
      for (const one of processes) expect(await textOf(one, path)).toBe(text)
    }
  })

  it('discards only unused files', async () => {
    let now = Date.now()
    const files = new ScopeFiles(memory(() => now))
    const { file: unused } = await files.store(['x.txt'], file('text'))
    await files.discard(unused)
    expect(await files.find('x.txt')).toBeUndefined()
    const { file: used } = await files.store(['y.txt'], file('other'))
    now += 1
    await files.storage.store(`/${used.path}@1`, encode('other'), 'text/plain')
    await files.discard(used)
    expect(await textOf(files, 'y.txt')).toBe('other')
  })

  it('lists the storage only once, for any number of stored and found files', async () => {
    const { storage, lists } = counted(memory())
    const files = new ScopeFiles(storage)
    for (let number = 0; number < 50; number += 1) await files.store([`x_${number}.txt`], file(`text ${number}`))
    for (let number = 0; number < 50; number += 1) expect(await files.find(`x_${number}.txt`)).toBeDefined()
    expect(lists()).toBe(0)
    expect(await files.find('other.txt')).toBeUndefined()
    expect(lists()).toBe(1)
  })

  it('lists the storage once for all parallel lookups of unknown paths', async () => {
    const { storage, lists } = counted(memory())
    const files = new ScopeFiles(storage)
    await Promise.all(Array.from({ length: 20 }, (_, number) => files.find(`x_${number}.txt`)))
    expect(lists()).toBe(1)
  })

  it('finds files that another process stored', async () => {
    const storage = memory()
    const [one, two] = [new ScopeFiles(storage), new ScopeFiles(storage)]
    expect(await one.find('x.txt')).toBeUndefined()
    await two.store(['x.txt'], file('text'))
    expect(await textOf(one, 'x.txt')).toBe('text')
    expect((await one.list()).map(({ path }) => path)).toEqual(['x.txt'])
  })

  it('stores a removed file under its name again, and never uses the name for another content', async () => {
    const storage = memory()
    const files = new ScopeFiles(storage)
    const { file: stored } = await files.store(['x.txt', 'y.txt'], file('text'))
    await storage.delete(stored.reference)
    expect(await files.use(stored, ({ reference }) => storage.retrieve(reference))).toBeUndefined()
    expect(await files.find('x.txt')).toBeUndefined()
    expect((await files.store(['x.txt', 'y.txt'], file('other'))).file.path).toBe('y.txt')
    expect((await files.store(['x.txt', 'y.txt'], file('text'))).file.path).toBe('x.txt')
    expect(await textOf(files, 'x.txt')).toBe('text')
  })

  it('has the same files as StoredFiles, and the same paths for results', async () => {
    const storage = memory()
    const files = new ScopeFiles(storage)
    await files.store(['a/x.txt'], file('text'))
    const reference = await storage.store('call_1_0', encode('{}'), 'application/json')
    await new StoredFiles(storage as Storage).write('/notes.md', encode('mine'))
    const paths = ['a/x.txt', 'notes.md', `results/${reference}.json`]
    expect((await files.list()).map(({ path }) => path)).toEqual(paths)
    expect([...(await new StoredFiles(storage as Storage).list()).keys()]).toEqual(paths.map((path) => `/${path}`))
  })

  it('finds workspace files of StoredFiles at the paths that requests use', async () => {
    const storage = memory()
    await new StoredFiles(storage as Storage).write('/workspace/plans/a.md', encode('mine'))
    const files = new ScopeFiles(storage)
    expect((await files.list()).map(({ path }) => path)).toEqual(['plans/a.md'])
    expect(await textOf(files, virtualPath('/workspace/plans/a.md'))).toBe('mine')
  })

  it('rejects during an outage, and works afterwards', async () => {
    const storage = memory()
    let isDown = true
    const flaky = new Proxy(storage, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (name === 'list' && isDown)
          return () => {
            throw new Error('down')
          }
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const files = new ScopeFiles(flaky)
    await files.store(['x.txt'], file('text'))
    await expect(files.find('other.txt')).rejects.toThrow('down')
    expect(await textOf(files, 'x.txt')).toBe('text')
    isDown = false
    expect(await files.find('other.txt')).toBeUndefined()
  })
})

it('ScopeFiles finds every file, even if there are more files than it caches', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('tenant') as ServedStorage
  for (let number = 0; number < 20; number += 1)
    await storage.store(`/x_${number}@1`, new Uint8Array([number]), 'text/plain', { metadata: { 'file-version': '1' } })
  const index = new ScopeFiles(storage, 5)
  for (let number = 0; number < 20; number += 1) expect((await index.find(`x_${number}`))?.path).toBe(`x_${number}`)
  expect(await index.find('x_20')).toBeUndefined()
  expect((await index.list()).length).toBe(20)
})

describe('a listing soon after another', () => {
  /** Create a storage that records the references that it described. */
  function noted(): {
    storage: ServedStorage
    index: ScopeFiles
    described: string[]
    store: (path: string) => Promise<string>
  } {
    const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('tenant') as ServedStorage
    const described: string[] = []
    const list = storage.list.bind(storage)
    storage.list = async function* (options) {
      for await (const info of list(options)) {
        described.push(info.reference)
        yield info
      }
    }
    const metadata = { 'file-version': '1' }
    const store = (path: string): Promise<string> =>
      storage.store(`/${path}@1`, new TextEncoder().encode(path), 'text/plain', { metadata })
    return { storage, index: new ScopeFiles(storage), described, store }
  }
  const paths = async (index: ScopeFiles): Promise<string[]> => (await index.list()).map(({ path }) => path)

  it('reads only newer files', async () => {
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

  it('lists all files again after a listed file was reported as missing', async () => {
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

  it('lists all files if the cache is old', async () => {
    const { storage, store } = noted()
    const index = new ScopeFiles(storage, undefined, 0)
    const reference = await store('a')
    await index.list()
    await storage.delete(reference)
    expect(await paths(index)).toEqual([])
  })

  it('lists all files if there are more than the cache can hold', async () => {
    const { storage, store } = noted()
    const index = new ScopeFiles(storage, 2)
    for (const [count, path] of ['a', 'b', 'c', 'd'].entries()) {
      await store(path)
      expect(await paths(index)).toHaveLength(count + 1)
    }
  })
})

it('ScopeFiles caches at most as many files as the limit, and finds others by a listing', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('tenant') as ServedStorage
  const index = new ScopeFiles(storage, 2)
  for (let number = 0; number < 4; number += 1) {
    const content = new Uint8Array([number])
    const metadata = { 'file-version': '1' }
    const reference = await storage.store(`/x_${number}@1`, content, 'text/plain', { metadata })
    const digest = `${number}`
    index.add({ path: `x_${number}`, reference, contentType: 'text/plain', size: 1, storedAt: number, digest })
  }
  expect(index.peek('x_3')).toBeUndefined()
  expect((await index.find('x_3'))?.path).toBe('x_3')
})
