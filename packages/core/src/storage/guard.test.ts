import { describe, expect, test } from 'vitest'
import { checkAborted, guard, guardIteration, orAborted, SourceError } from './guard.ts'
import { StorageError } from './storage-error.ts'

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
