import { StorageError } from '@spillway/core'
import { describe, expect, test } from 'vitest'
import { InMemoryStorage } from './in-memory-storage.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('InMemoryStorage', () => {
  test('evicts what was unused for more than twenty turns by default, and says so', async () => {
    const storage = new InMemoryStorage()
    const reference = await storage.store('call_1_0', bytes('old'), 'text/plain', { metadata: { tool: 'read_log' } })
    for (let turn = 0; turn < 20; turn += 1) expect(await storage.endTurn()).toEqual({ evicted: [] })
    expect(await storage.endTurn()).toEqual({ evicted: [{ reference, size: 3, reason: 'turns' }] })
    const error = await storage.retrieve(reference).catch((caught: unknown) => caught)
    expect(StorageError.isInstance(error) && error.code).toBe('evicted')
    expect(String(error)).toContain('"read_log"')
  })

  test('never evicts what a store has just found existing, however a turn ends meanwhile', async () => {
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

  test('lists each entry once, also while entries are used and removed', async () => {
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
  ])('refuses %j, naming the option', (options, name) => {
    expect(() => new InMemoryStorage(options as never)).toThrow(TypeError)
    expect(() => new InMemoryStorage(options as never)).toThrow(name)
  })
})
