import { expect, test } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import {
  assertManagedStorageOptions,
  assertStorage,
  scopeOf,
  type ManagedStorageOptions,
  type Storage,
} from './storage.ts'

const twoMethods: Storage = {
  store: async (key) => key,
  retrieve: async () => ({ content: new Uint8Array(0), contentType: 'text/plain' }),
}

test('two methods are enough for a storage', () => {
  expect(() => assertStorage(twoMethods)).not.toThrow()
})

test.each([[undefined], [null], ['file:./.spillway'], [{ store: () => '' }], [{ retrieve: () => '' }]])(
  'a storage cannot be %j, and the error says what to pass',
  (value) => {
    expect(() => assertStorage(value)).toThrow(TypeError)
    expect(() => assertStorage(value)).toThrow('createStorage()')
  },
)

test('a storage without scope() is refused if a scope is requested', () => {
  expect(() => scopeOf(twoMethods, ['tenant-1'])).toThrow(expect.objectContaining({ code: 'unsupported' }))
})

test('scopeOf refuses a text instead of an array, because its characters would be segments', () => {
  const storage = tinyStorage()
  expect(() => scopeOf(storage, 'tenant-1' as never)).toThrow(TypeError)
  expect(() => scopeOf(storage, 'tenant-1' as never)).toThrow('got the string "tenant-1"')
})

test('scopeOf returns the scope', async () => {
  const storage = tinyStorage()
  const reference = await scopeOf(storage, ['a', 'b']).store('call_1', new Uint8Array(1))
  await expect(storage.scope('a', 'b').retrieve(reference)).resolves.toMatchObject({ contentType: 'text/plain' })
})

test.each([
  [{}],
  [{ evictAfterTurns: null, ttlMs: null, maxBytes: null }],
  [{ evictAfterTurns: 1, ttlMs: 0.5, maxBytes: 1, now: Date.now }],
  [{ evictAfterTurns: undefined, ttlMs: undefined, maxBytes: undefined, now: undefined }],
])('storage options may be %j', (options) => {
  expect(() => assertManagedStorageOptions(options)).not.toThrow()
})

test.each([
  [{ evictAfterTurns: 0 }, 'evictAfterTurns'],
  [{ evictAfterTurns: 1.5 }, 'evictAfterTurns'],
  [{ evictAfterTurns: '3' }, 'evictAfterTurns'],
  [{ ttlMs: 0 }, 'ttlMs'],
  [{ ttlMs: Number.POSITIVE_INFINITY }, 'ttlMs'],
  [{ ttlMs: '1h' }, 'ttlMs must be a positive number of milliseconds, or null; got the string "1h"'],
  [{ maxBytes: -1 }, 'maxBytes'],
  [{ maxBytes: Number.NaN }, 'maxBytes'],
  [{ now: 5 }, 'now'],
  [{ maxbytes: 5 }, '"maxbytes"'],
  ['20', 'A storage takes an object of options'],
  [null, 'A storage takes an object of options'],
])('storage options cannot be %j, and the error names the option', (options, name) => {
  const refuse = (): void => assertManagedStorageOptions(options as ManagedStorageOptions)
  expect(refuse).toThrow(TypeError)
  expect(refuse).toThrow(name)
})
