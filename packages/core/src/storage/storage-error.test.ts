import { describe, expect, test } from 'vitest'
import {
  checkAborted,
  guard,
  guardIteration,
  missingError,
  orAborted,
  SourceError,
  StorageError,
} from './storage-error.ts'

test('a StorageError is retryable if its code is unavailable, unless the error sets retryable', () => {
  expect(new StorageError('unavailable', 'Try again.').retryable).toBe(true)
  expect(new StorageError('unavailable', 'Gone for good.', { retryable: false }).retryable).toBe(false)
  expect(new StorageError('not-found', 'Check the reference.').retryable).toBe(false)
})

test('a StorageError keeps its reference and its cause', () => {
  const cause = new Error('ENOSPC')
  const error = new StorageError('unavailable', 'The disk is full.', { key: 'call_1', reference: 'ref', cause })
  expect(error).toMatchObject({ name: 'StorageError', key: 'call_1', reference: 'ref', cause })
  expect('cause' in new StorageError('not-found', 'Nothing.')).toBe(false)
})

test('a StorageError has the URL of a help page, which is not in its message', () => {
  const { help, message } = new StorageError('too-large', 'Too much.')
  expect(help).toBe('https://github.com/spillway-js/spillway/blob/main/docs/errors.md#too-large')
  expect(message).toBe('Too much.')
})

test('a StorageError is recognized across two copies of the package, and other errors are not', () => {
  const other = Object.assign(new Error('from another copy'), { [Symbol.for('spillway.storage-error')]: true })
  expect(StorageError.isInstance(other)).toBe(true)
  expect(StorageError.isInstance(new StorageError('corrupt', 'Wrong.'))).toBe(true)
  for (const value of [new Error('other'), null, undefined, 'StorageError', { code: 'not-found' }])
    expect(StorageError.isInstance(value)).toBe(false)
})

describe('guard', () => {
  test('reports any error of a driver as an outage, with the error as its cause', async () => {
    const cause = new Error('ECONNREFUSED')
    const failed = guard({ action: 'retrieve', reference: 'call_1' }, () => Promise.reject(cause))
    await expect(failed).rejects.toMatchObject({ code: 'unavailable', retryable: true, reference: 'call_1', cause })
    await expect(failed).rejects.toThrow('ECONNREFUSED')
  })

  test('shows at most the start of a key', async () => {
    const failed = guard({ action: 'store', key: 'k'.repeat(10_000) }, () => Promise.reject(new Error('full')))
    const error: unknown = await failed.catch((caught: unknown) => caught)
    expect(String(error).length).toBeLessThan(300)
  })

  test('passes on a StorageError of a driver', async () => {
    const error = new StorageError('corrupt', 'The checksum is wrong.')
    await expect(guard({ action: 'retrieve' }, () => Promise.reject(error))).rejects.toBe(error)
  })

  test("passes on the failure of the caller's stream", async () => {
    const cause = new Error('the source failed')
    await expect(guard({ action: 'store' }, () => Promise.reject(new SourceError(cause)))).rejects.toBe(cause)
  })

  test('reports a thrown value that is not an error as an outage too', async () => {
    await expect(guard({ action: 'close' }, () => Promise.reject('down'))).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

describe('guardIteration', () => {
  test('reports a failure during iteration as an outage', async () => {
    async function* entries(): AsyncGenerator<number> {
      yield 1
      throw new Error('ECONNRESET')
    }
    const seen: number[] = []
    const iterate = async (): Promise<void> => {
      for await (const entry of guardIteration({ action: 'list' }, entries)) seen.push(entry)
    }
    await expect(iterate()).rejects.toMatchObject({ code: 'unavailable' })
    expect(seen).toEqual([1])
  })

  test('reports a listing that cannot start as an outage', async () => {
    const failing = guardIteration({ action: 'list' }, () => {
      throw new Error('no connection')
    })
    await expect(failing.next()).rejects.toMatchObject({ code: 'unavailable' })
  })

  test("closes the driver's iterator if the consumer stops early", async () => {
    let released = false
    async function* entries(): AsyncGenerator<number> {
      try {
        yield 1
        yield 2
      } finally {
        released = true
      }
    }
    for await (const entry of guardIteration({ action: 'list' }, entries)) if (entry === 1) break
    expect(released).toBe(true)
  })
})

test('the error of checkAborted has the reason of the signal as its cause', () => {
  const reason = new Error('no longer needed')
  expect(() => checkAborted(AbortSignal.abort(reason))).toThrow(
    expect.objectContaining({ code: 'aborted', retryable: false, cause: reason }),
  )
  expect(() => checkAborted(new AbortController().signal)).not.toThrow()
  expect(() => checkAborted(undefined)).not.toThrow()
})

test('orAborted settles with the promise or with the abort, and removes its listener', async () => {
  const { signal } = new AbortController()
  expect(await orAborted(Promise.resolve(5), signal)).toBe(5)
  expect(await orAborted(Promise.resolve(5), undefined)).toBe(5)
  await expect(orAborted(Promise.reject(new Error('own')), signal)).rejects.toThrow('own')
  await expect(orAborted(new Promise(() => {}), AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
  const abort = new AbortController()
  const waiting = orAborted(new Promise(() => {}), abort.signal)
  abort.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
})

test('the error of a missing entry says that nothing is stored', () => {
  expect(missingError('call_1', undefined)).toMatchObject({ code: 'not-found', reference: 'call_1', retryable: false })
})

test.each([
  ['turns', 'unused for too many turns'],
  ['age', 'unused for too long'],
  ['quota', 'room was needed'],
] as const)('the error of an evicted entry says when and why (%s), and which tool to run again', (reason, words) => {
  const eviction = { reason, evictedAt: Date.UTC(2026, 0, 2), metadata: { tool: 'read_log' } }
  const error = missingError('call_1', eviction)
  expect(error).toMatchObject({ code: 'evicted', reference: 'call_1', retryable: false, eviction })
  expect(error.message).toContain('2026-01-02T00:00:00.000Z')
  expect(error.message).toContain(words)
  expect(error.message).toContain('"read_log"')
})

test('the error of an evicted entry works without the name of the tool', () => {
  expect(missingError('call_1', { reason: 'age', evictedAt: 0, metadata: {} }).message).toContain('Run the tool')
})
