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
