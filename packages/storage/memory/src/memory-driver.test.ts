import { describe, expect, test } from 'vitest'
import { InMemoryStorage } from './in-memory-storage.ts'
import { MemoryDriver } from './memory-driver.ts'

const INFO = { key: 'key', contentType: 'text/plain', storedAt: 1, lastUsedAt: 1, metadata: {} }

async function* only(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

describe('MemoryDriver', () => {
  test('opens an entry as it lies in memory, and goes on giving it once it is removed', async () => {
    const driver = new MemoryDriver()
    const content = new TextEncoder().encode('content')
    await driver.write('log', only(content), INFO)
    const entry = await driver.open('log')
    await driver.remove('log')
    const read = await entry!.read({ offset: 3, length: 100 })
    expect(new TextDecoder().decode(read)).toBe('tent')
    expect(read.buffer).toBe(content.buffer)
    await entry!.close()
    expect(await driver.open('log')).toBeUndefined()
  })

  test('keeps a line index with its entry, and no property where there is none', async () => {
    const driver = new MemoryDriver()
    await driver.write('indexed', only(new Uint8Array(3)), INFO, () => 'an index')
    await driver.write('other', only(new Uint8Array(3)), INFO, () => undefined)
    await driver.touch('indexed', 1_000)
    expect(await driver.stat('indexed')).toMatchObject({ lineIndex: 'an index', size: 3 })
    expect(await driver.stat('other')).not.toHaveProperty('lineIndex')
  })

  test('lists a scope and those below it, and forgets the scopes that are left empty', async () => {
    const driver = new MemoryDriver()
    const listed = async (prefix: string): Promise<string[]> => {
      const ids: string[] = []
      for await (const { id } of driver.list(prefix)) ids.push(id)
      return ids.toSorted()
    }
    for (const id of ['top', 'a/one', 'a/b/c/two', 'ab/three']) await driver.write(id, only(new Uint8Array(1)), INFO)
    expect(await listed('')).toEqual(['a/b/c/two', 'a/one', 'ab/three', 'top'])
    expect(await listed('a/')).toEqual(['a/b/c/two', 'a/one'])
    expect(await listed('a/b/')).toEqual(['a/b/c/two'])
    expect(await driver.remove('a/b/c/two')).toBe(true)
    expect(await driver.remove('a/b/c/two')).toBe(false)
    expect(await listed('a/b/')).toEqual([])
    expect(await listed('a/')).toEqual(['a/one'])
    await driver.write('a/b/c/two', only(new Uint8Array(1)), INFO)
    expect(await listed('a/')).toEqual(['a/b/c/two', 'a/one'])
    for (const id of ['top', 'a/one', 'a/b/c/two', 'ab/three']) expect(await driver.remove(id)).toBe(true)
    expect(await listed('')).toEqual([])
  })
})

describe('InMemoryStorage', () => {
  test('gives opened content without a copy, and retrieved content as one', async () => {
    const storage = new InMemoryStorage()
    const reference = await storage.store('log', new TextEncoder().encode('content'))
    const open = await storage.open(reference)
    const [first, second] = [await open.read(0, 7), await open.read(0, 7)]
    expect(first.buffer).toBe(second.buffer)
    await open.close()
    expect((await storage.retrieve(reference)).content.buffer).not.toBe(first.buffer)
  })
})
