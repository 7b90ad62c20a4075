import { describe, expect, test } from 'vitest'
import {
  checkAborted,
  guard,
  guardIteration,
  missingError,
  orAborted,
  orMiss,
  SourceError,
  StorageError,
} from './storage-error.ts'

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

describe('guard', () => {
  test('takes what a driver throws for an outage, and keeps it as the cause', async () => {
    const cause = new Error('ECONNREFUSED')
    const failed = guard({ action: 'retrieve', reference: 'call_1' }, () => Promise.reject(cause))
    await expect(failed).rejects.toMatchObject({ code: 'unavailable', retryable: true, reference: 'call_1', cause })
    await expect(failed).rejects.toThrow('ECONNREFUSED')
  })

  test('shows at most the beginning of a key', async () => {
    const failed = guard({ action: 'store', key: 'k'.repeat(10_000) }, () => Promise.reject(new Error('full')))
    const error: unknown = await failed.catch((caught: unknown) => caught)
    expect(String(error).length).toBeLessThan(300)
  })

  test('lets through what a driver says itself', async () => {
    const error = new StorageError('corrupt', 'The checksum is wrong.')
    await expect(guard({ action: 'retrieve' }, () => Promise.reject(error))).rejects.toBe(error)
  })

  test("lets through the failure of the caller's stream", async () => {
    const cause = new Error('the source failed')
    await expect(guard({ action: 'store' }, () => Promise.reject(new SourceError(cause)))).rejects.toBe(cause)
  })

  test('takes what is no error for an outage too', async () => {
    await expect(guard({ action: 'close' }, () => Promise.reject('down'))).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

describe('guardIteration', () => {
  test('takes a failure on the way for an outage', async () => {
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

  test('takes a listing that cannot begin for an outage', async () => {
    const failing = guardIteration({ action: 'list' }, () => {
      throw new Error('no connection')
    })
    await expect(failing.next()).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('releases the driver when it is left early', async () => {
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

test('checkAborted has the reason of the signal as its cause', () => {
  const reason = new Error('no longer needed')
  expect(() => checkAborted(AbortSignal.abort(reason))).toThrow(
    expect.objectContaining({ code: 'aborted', retryable: false, cause: reason }),
  )
  expect(() => checkAborted(new AbortController().signal)).not.toThrow()
  expect(() => checkAborted(undefined)).not.toThrow()
})

test('orAborted waits for the first of both, and leaves no listener behind', async () => {
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

test('says that nothing is there', () => {
  expect(missingError('call_1', undefined)).toMatchObject({ code: 'not-found', reference: 'call_1', retryable: false })
})

test.each([
  ['turns', 'unused for too many turns'],
  ['age', 'unused for too long'],
  ['quota', 'room was needed'],
] as const)('says when and why an entry was evicted by %s, and which tool to run again', (reason, words) => {
  const eviction = { reason, evictedAt: Date.UTC(2026, 0, 2), metadata: { tool: 'read_log' } }
  const error = missingError('call_1', eviction)
  expect(error).toMatchObject({ code: 'evicted', reference: 'call_1', retryable: false, eviction })
  expect(error.message).toContain('2026-01-02T00:00:00.000Z')
  expect(error.message).toContain(words)
  expect(error.message).toContain('"read_log"')
})

test('does without the name of the tool', () => {
  expect(missingError('call_1', { reason: 'age', evictedAt: 0, metadata: {} }).message).toContain('Run the tool')
})

const REFERENCE = 'mem_1_server_log'

async function rejected(error: unknown): Promise<unknown> {
  try {
    return await orMiss(REFERENCE, async () => {
      throw error
    })
  } catch (thrown) {
    return thrown
  }
}

const named = (name: string, message = 'failed'): Error => Object.assign(new Error(message), { name })

const coded = (code: unknown, more: object = {}): Error => Object.assign(new Error('failed'), { code, ...more })

test.each([undefined, null])('%s in place of content is a miss', async (nothing) => {
  await expect(orMiss(REFERENCE, async () => nothing)).rejects.toMatchObject({
    code: 'not-found',
    reference: REFERENCE,
    retryable: false,
  })
})

test.each([0, '', false, {}])('%j is given as it is', async (value) => {
  expect(await orMiss(REFERENCE, async () => value)).toBe(value)
})

test.each([
  named('KeyError', `'${REFERENCE}'`),
  named('NotFoundError'),
  named('NotFound'),
  named('NoSuchKey'),
  named('FileNotFoundError'),
  named('ReferenceNotFoundError'),
  named('BlobNotFound'),
  coded('not-found'),
  coded('NOT_FOUND'),
  coded('ERR_NOT_FOUND'),
  coded('NoSuchKey'),
  coded('KEY_NOT_FOUND'),
  coded('ENOENT'),
  coded('ENOENT', { syscall: 'open', path: `/data/${REFERENCE}` }),
  new Error(`Reference not found: ${REFERENCE}`),
  new Error('Reference not found'),
  new Error('Not found'),
  new Error(`No such key: ${REFERENCE}`),
  new Error(`The entry ${REFERENCE} does not exist.`),
  new Error(`Nothing is stored under ${REFERENCE}`),
])('$name $code "$message" is a miss', async (error) => {
  expect(await rejected(error)).toMatchObject({ name: 'StorageError', code: 'not-found', cause: error })
})

test.each([
  new Error('connection reset'),
  new Error(`Could not read ${REFERENCE}`),
  new Error(`Could not read ${REFERENCE}: host not found`),
  new Error(`Bucket not found while reading ${REFERENCE}`),
  new Error('API key not found'),
  new Error('getaddrinfo ENOTFOUND storage.example.com'),
  new Error(`relation "entries" does not exist`),
  new Error(`table entries does not exist, asked for ${REFERENCE}`),
  named('ModuleNotFoundError'),
  named('NoSuchBucket'),
  named('HostNotFoundError'),
  named('TypeError', 'x is not a function'),
  coded('ENOTFOUND', { syscall: 'getaddrinfo' }),
  coded('ENOENT', { syscall: 'connect', address: '/run/redis.sock' }),
  coded('ENOENT', { syscall: 'spawn docker' }),
  coded('ECONNREFUSED'),
  coded('ERR_MODULE_NOT_FOUND'),
  coded('ResourceNotFoundException'),
  coded(404),
  Object.assign(new Error(`Reference not found: ${REFERENCE}`), { code: 'ETIMEDOUT' }),
  'not found',
  undefined,
])('%o stays as it is', async (error) => {
  expect(await rejected(error)).toBe(error)
})

test('an error that is thrown at once is a miss as well', async () => {
  const find = (): never => {
    throw named('KeyError')
  }
  await expect(orMiss(REFERENCE, find)).rejects.toMatchObject({ code: 'not-found' })
})

test('an error of a storage that says its code stays as it is', async () => {
  const error = new StorageError('unavailable', `${REFERENCE} was not found, as the disk is down.`)
  expect(await rejected(error)).toBe(error)
})
