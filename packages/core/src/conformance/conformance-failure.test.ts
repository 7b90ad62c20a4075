import { describe, expect, test } from 'vitest'
import { StorageError } from '../storage/storage-error.ts'
import {
  attempt,
  check,
  checkBytes,
  checkEqual,
  ConformanceFailure,
  rejection,
  rejectionCode,
  rejectionOfMistake,
} from './conformance-failure.ts'

const outage = new StorageError('unavailable', 'The disk is down.')

describe('an assertion', () => {
  test('check passes a true value, and throws the given message otherwise', () => {
    expect(() => check(true, 'is kept')).not.toThrow()
    expect(() => check(false, 'is not kept')).toThrow(ConformanceFailure)
  })

  test('checkEqual compares values, not identities or the order of properties', () => {
    expect(() => checkEqual({ a: 1, b: [2] }, { b: [2], a: 1 }, 'value')).not.toThrow()
    expect(() => checkEqual(Number.NaN, Number.NaN, 'value')).not.toThrow()
    expect(() => checkEqual([1, 2], [2, 1], 'value')).toThrow('value: expected [2,1], got [1,2]')
    expect(() => checkEqual(undefined, null, 'value')).toThrow(ConformanceFailure)
  })

  test.each([
    [[], []],
    [[1], [1]],
    [
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    ],
  ])('checkBytes passes %j', (actual, expected) => {
    expect(() => checkBytes(Uint8Array.from(actual), Uint8Array.from(expected), 'content')).not.toThrow()
  })

  test('checkBytes finds a single different byte at any offset', () => {
    for (const offset of [0, 1, 4])
      for (let index = 0; index < 11; index += 1) {
        const expected = new Uint8Array(new ArrayBuffer(20), offset, 11)
        const actual = expected.slice()
        actual[index] = 1
        expect(() => checkBytes(actual, expected, 'content')).toThrow(`byte ${index} is 1 instead of 0`)
      }
    expect(() => checkBytes(new Uint8Array(2), new Uint8Array(3), 'content')).toThrow('expected 3 bytes, got 2')
    expect(() => checkBytes('abc' as unknown as Uint8Array, new Uint8Array(3), 'content')).toThrow('expected bytes')
  })

  test('attempt turns a rejection into a broken promise, and passes a broken promise on', async () => {
    expect(await attempt('storing', async () => 'stored')).toBe('stored')
    const failed = attempt('storing', () => Promise.reject(outage))
    await expect(failed).rejects.toMatchObject({ name: 'ConformanceFailure', cause: outage })
    await expect(failed).rejects.toThrow('storing failed: StorageError unavailable: The disk is down.')
    const failure = new ConformanceFailure('is not kept')
    await expect(attempt('storing', () => Promise.reject(failure))).rejects.toBe(failure)
  })

  test('rejection requires an error, thrown or rejected', async () => {
    expect(await rejection('retrieving', () => Promise.reject(outage))).toBe(outage)
    const thrown = rejection('retrieving', () => {
      throw outage
    })
    expect(await thrown).toBe(outage)
    await expect(rejection('retrieving', async () => new Uint8Array(3))).rejects.toThrow('resolved to 3 bytes')
  })

  test('rejectionCode requires a StorageError of any copy of the package, with the code', async () => {
    const foreign = Object.assign(new Error('gone'), {
      code: 'not-found',
      [Symbol.for('spillway.storage-error')]: true,
    })
    expect(await rejectionCode(['not-found'], 'retrieving', () => Promise.reject(foreign))).toBe(foreign)
    await expect(rejectionCode('not-found', 'retrieving', () => Promise.reject(outage))).rejects.toThrow('unavailable')
    const unbranded = Object.assign(new Error('gone'), { code: 'not-found' })
    await expect(rejectionCode('not-found', 'it', () => Promise.reject(unbranded))).rejects.toBeInstanceOf(
      ConformanceFailure,
    )
  })

  test('rejectionOfMistake requires a TypeError', async () => {
    await expect(
      rejectionOfMistake('storing text', () => Promise.reject(new TypeError('text'))),
    ).resolves.toBeUndefined()
    await expect(rejectionOfMistake('storing text', () => Promise.reject(outage))).rejects.toThrow('TypeError')
  })
})
