import { expect, test } from 'vitest'
import { assertManagedStorageOptions, type ManagedStorageOptions } from './managed-storage-options.ts'

test.each([
  [{}],
  [{ evictAfterTurns: null, ttlMs: null, maxBytes: null }],
  [{ evictAfterTurns: 1, ttlMs: 0.5, maxBytes: 1, now: Date.now }],
  [{ evictAfterTurns: undefined, ttlMs: undefined, maxBytes: undefined, now: undefined }],
])('accepts %j', (options) => {
  expect(() => assertManagedStorageOptions(options)).not.toThrow()
})

test.each([
  [{ evictAfterTurns: 0 }, 'evictAfterTurns'],
  [{ evictAfterTurns: 1.5 }, 'evictAfterTurns'],
  [{ evictAfterTurns: '3' }, 'evictAfterTurns'],
  [{ ttlMs: 0 }, 'ttlMs'],
  [{ ttlMs: Number.POSITIVE_INFINITY }, 'ttlMs'],
  [{ ttlMs: '1h' }, 'ttlMs'],
  [{ maxBytes: -1 }, 'maxBytes'],
  [{ maxBytes: Number.NaN }, 'maxBytes'],
  [{ now: 5 }, 'now'],
  [{ maxbytes: 5 }, '"maxbytes"'],
  ['20', 'Storage options'],
  [null, 'Storage options'],
])('refuses %j and names the option', (options, name) => {
  const refuse = (): void => assertManagedStorageOptions(options as ManagedStorageOptions)
  expect(refuse).toThrow(TypeError)
  expect(refuse).toThrow(name)
})
