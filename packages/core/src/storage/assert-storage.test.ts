import { expect, test } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { assertStorage, scopeOf } from './assert-storage.ts'
import type { Storage } from './storage.ts'

const twoMethods: Storage = {
  store: async (key) => key,
  retrieve: async () => ({ content: new Uint8Array(0), contentType: 'text/plain' }),
}

test('two methods make a storage', () => {
  expect(() => assertStorage(twoMethods)).not.toThrow()
})

test.each([[undefined], [null], ['file:./.spillway'], [{ store: () => '' }], [{ retrieve: () => '' }]])(
  'refuses %j and says what to pass',
  (value) => {
    expect(() => assertStorage(value)).toThrow(TypeError)
    expect(() => assertStorage(value)).toThrow('createStorage()')
  },
)

test('a storage without scope() is refused where a scope is asked for', () => {
  expect(() => scopeOf(twoMethods, ['tenant-1'])).toThrow(expect.objectContaining({ code: 'unsupported' }))
})

test('returns the scope', async () => {
  const storage = tinyStorage()
  const reference = await scopeOf(storage, ['a', 'b']).store('call_1', new Uint8Array(1))
  await expect(storage.scope('a', 'b').retrieve(reference)).resolves.toMatchObject({ contentType: 'text/plain' })
})
