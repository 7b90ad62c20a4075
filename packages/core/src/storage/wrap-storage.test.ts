import { describe, expect, test } from 'vitest'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { createStorage } from './create-storage.ts'
import { passedOn } from './passed-on.ts'
import type { StorageDriver } from './storage-driver.ts'
import { wrapStorage } from './wrap-storage.ts'

const same = (driver: StorageDriver): StorageDriver =>
  passedOn(driver, ['write', 'read', 'remove', 'list']) as StorageDriver

describe('wrapStorage', () => {
  test('keeps references, settings and the clock', async () => {
    let time = 1_000
    const inner = tinyStorage({ ttlMs: 100, now: () => time })
    const wrapped = wrapStorage(inner, 'compressed', same)
    const reference = await wrapped.scope('a').store('call', new Uint8Array(3))
    expect(await inner.scope('a').store('call', new Uint8Array(3))).toBe(reference)
    // Storing again was one more use, a millisecond later.
    expect((await wrapped.scope('a').stat(reference)).expiresAt).toBe(1_101)
    time = 1_200
    await expect(wrapped.scope('a').retrieve(reference)).rejects.toMatchObject({ code: 'evicted' })
  })

  test.each([
    ['a scope', () => tinyStorage().scope('a'), /A scope cannot be compressed alone/],
    ['a storage of somebody else', () => ({ store() {}, retrieve() {} }), /made with this copy of @spillway\/core/],
    ['nothing', () => undefined, /made with this copy/],
    ['a text', () => 'redis://', /made with this copy/],
  ])('refuses %s', (_name, storage, message) => {
    expect(() => wrapStorage(storage() as never, 'compressed', same)).toThrow(TypeError)
    expect(() => wrapStorage(storage() as never, 'compressed', same)).toThrow(message)
  })

  test('encrypts what was compressed, and nothing else', () => {
    const encrypted = wrapStorage(tinyStorage(), 'encrypted', same)
    const both = wrapStorage(encrypted, 'compressed', same)
    const compressed = wrapStorage(tinyStorage(), 'compressed', same)
    expect(() => wrapStorage(compressed, 'encrypted', same)).toThrow('Write compressed(encrypted(storage, { key }))')
    expect(() => wrapStorage(both, 'compressed', same)).toThrow('already. Call compressed() once')
    expect(() => wrapStorage(both, 'encrypted', same)).toThrow('already. Call encrypted() once')
  })
})

describe('passedOn', () => {
  test('gives what there is, bound to the driver', async () => {
    const driver = new TinyDriver(new TinyDisk(() => 0))
    const passed = passedOn(driver, ['stat', 'open', 'refreshMs', 'touchFirstBytes', 'write'])
    expect(Object.keys(passed)).toEqual(['stat', 'refreshMs', 'write'])
    const storage = createStorage(driver)
    const reference = await storage.store('call', new Uint8Array(3))
    expect(await passed.stat?.(reference)).toMatchObject({ size: 3 })
  })
})
