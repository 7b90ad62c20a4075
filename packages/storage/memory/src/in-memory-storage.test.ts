import { StorageError, type StorageDriver } from '@spillway/core/driver'
import { describe, expect, test } from 'vitest'
import { InMemoryStorage, memoryDriver } from './in-memory-storage.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('InMemoryStorage', () => {
  test('evicts entries unused for more than twenty turns by default, and reports the eviction', async () => {
    const storage = new InMemoryStorage()
    const reference = await storage.store('call_1_0', bytes('old'), 'text/plain', { metadata: { tool: 'read_log' } })
    for (let turn = 0; turn < 20; turn += 1) expect(await storage.endTurn()).toEqual({ evicted: [] })
    expect(await storage.endTurn()).toEqual({ evicted: [{ reference, size: 3, reason: 'turns' }] })
    const error = await storage.retrieve(reference).catch((caught: unknown) => caught)
    expect(StorageError.isInstance(error) && error.code).toBe('evicted')
    expect(String(error)).toContain('"read_log"')
  })

  test('never evicts an entry that a store has just found, even if a turn ends meanwhile', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: 1 })
    for (let round = 0; round < 100; round += 1) {
      await storage.store('call_1_0', bytes('kept'))
      await storage.endTurn()
      const [reference] = await Promise.all([storage.store('call_1_0', bytes('kept')), storage.endTurn()])
      expect((await storage.retrieve(reference)).content).toEqual(bytes('kept'))
    }
  })

  test('keeps everything with evictAfterTurns: null', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    const reference = await storage.store('call_1_0', bytes('kept'))
    for (let turn = 0; turn < 100; turn += 1) await storage.endTurn()
    expect((await storage.retrieve(reference)).content).toEqual(bytes('kept'))
  })

  test('evicts the least recently used entry of the scope beyond maxBytes', async () => {
    const storage = new InMemoryStorage({ maxBytes: 100 })
    const first = await storage.store('first', new Uint8Array(40))
    const second = await storage.store('second', new Uint8Array(40))
    const elsewhere = await storage.scope('other').store('first', new Uint8Array(40))
    await storage.retrieve(first)
    const third = await storage.store('third', new Uint8Array(40))
    await expect(storage.retrieve(second)).rejects.toMatchObject({ code: 'evicted', eviction: { reason: 'quota' } })
    for (const reference of [first, third]) expect((await storage.retrieve(reference)).content).toHaveLength(40)
    expect((await storage.scope('other').retrieve(elsewhere)).content).toHaveLength(40)
  })

  test('lists each entry once, even while entries are used and removed', async () => {
    const storage = new InMemoryStorage()
    for (let entry = 0; entry < 10; entry += 1) await storage.store(`call_${entry}`, bytes(String(entry)))
    const listed: string[] = []
    for await (const { reference } of storage.list()) {
      listed.push(reference)
      await storage.retrieve(reference)
    }
    expect(listed).toHaveLength(10)
    expect(new Set(listed).size).toBe(10)
  })

  test('evicts by age since the last use', async () => {
    let now = 0
    const storage = new InMemoryStorage({ ttlMs: 1_000, now: () => now })
    const used = await storage.store('used', bytes('used'))
    const unused = await storage.store('unused', bytes('unused'))
    now = 900
    await storage.retrieve(used)
    now = 1_000
    expect(await storage.gc()).toEqual({ expired: 1, leftovers: 0, bytes: 6 })
    await expect(storage.retrieve(unused)).rejects.toMatchObject({ code: 'evicted', eviction: { reason: 'age' } })
    expect((await storage.stat(used)).expiresAt).toBe(1_900)
  })

  test.each([
    [{ evictAfterTurns: 0 }, 'evictAfterTurns'],
    [{ evictAfterTurns: 1.5 }, 'evictAfterTurns'],
    [{ maxBytes: -1 }, 'maxBytes'],
    [{ ttlMs: Number.NaN }, 'ttlMs'],
    [{ evictAfterCycles: 3 }, 'evictAfterCycles'],
    [5, 'evictAfterTurns'],
    [null, 'evictAfterTurns'],
  ])('refuses %j and names the option', (options, name) => {
    expect(() => new InMemoryStorage(options as never)).toThrow(TypeError)
    expect(() => new InMemoryStorage(options as never)).toThrow(name)
  })
})

const INFO = { key: 'key', contentType: 'text/plain', storedAt: 1, lastUsedAt: 1, metadata: {} }

async function* only(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

describe('memoryDriver', () => {
  test('opens an entry without copying, and keeps its bytes after a removal', async () => {
    const driver = memoryDriver() as Required<StorageDriver>
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

  test('keeps a line index with its entry, and has no property without an index', async () => {
    const driver = memoryDriver() as Required<StorageDriver>
    await driver.write('indexed', only(new Uint8Array(3)), INFO, () => 'an index')
    await driver.write('other', only(new Uint8Array(3)), INFO, () => undefined)
    await driver.touch('indexed', 1_000)
    expect(await driver.stat('indexed')).toMatchObject({ lineIndex: 'an index', size: 3 })
    expect(await driver.stat('other')).not.toHaveProperty('lineIndex')
  })

  test('lists a scope and its child scopes, and forgets empty scopes', async () => {
    const driver = memoryDriver() as Required<StorageDriver>
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
  test('returns opened content without a copy, and retrieved content as a copy', async () => {
    const storage = new InMemoryStorage()
    const reference = await storage.store('log', new TextEncoder().encode('content'))
    const open = await storage.open(reference)
    const [first, second] = [await open.read(0, 7), await open.read(0, 7)]
    expect(first.buffer).toBe(second.buffer)
    await open.close()
    expect((await storage.retrieve(reference)).content.buffer).not.toBe(first.buffer)
  })
})
