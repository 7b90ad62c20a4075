import { expect, test } from 'vitest'
import { StorageError } from './storage-error.ts'

test('is retryable when the backend is unavailable, unless it says otherwise', () => {
  expect(new StorageError('unavailable', 'Try again.').retryable).toBe(true)
  expect(new StorageError('unavailable', 'Gone for good.', { retryable: false }).retryable).toBe(false)
  expect(new StorageError('not-found', 'Check the reference.').retryable).toBe(false)
})

test('keeps what it concerns and what caused it', () => {
  const cause = new Error('ENOSPC')
  const error = new StorageError('unavailable', 'The disk is full.', { key: 'call_1', reference: 'ref', cause })
  expect(error).toMatchObject({ name: 'StorageError', key: 'call_1', reference: 'ref', cause })
  expect('cause' in new StorageError('not-found', 'Nothing.')).toBe(false)
})

test('is known across two copies of the package, and takes nothing else for one of its own', () => {
  const other = Object.assign(new Error('from another copy'), { [Symbol.for('spillway.storage-error')]: true })
  expect(StorageError.isInstance(other)).toBe(true)
  expect(StorageError.isInstance(new StorageError('corrupt', 'Wrong.'))).toBe(true)
  for (const value of [new Error('other'), null, undefined, 'StorageError', { code: 'not-found' }])
    expect(StorageError.isInstance(value)).toBe(false)
})
