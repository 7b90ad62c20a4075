import { expect, test } from 'vitest'
import { fourMethods } from '../../test/four-methods.ts'
import { bytes, stream } from '../conformance/sample.ts'
import { completeDriver } from '../storage/managed-storage.ts'
import type { CompleteDriver } from '../storage/storage-driver.ts'
import { StorageError } from '../storage/storage-error.ts'
import { wrappedDriver } from './wrapped-driver.ts'

const INFO = { key: 'call', contentType: 'text/plain', storedAt: 1, lastUsedAt: 1, metadata: {} }

interface DamagedDriver {
  readonly driver: CompleteDriver
  readonly inner: CompleteDriver
  readonly damaged: Map<string, Error>
}

async function damagedDriver(error: Error): Promise<DamagedDriver> {
  const inner = completeDriver(fourMethods())
  const damaged = new Map<string, Error>()
  const check = (id: string): void => {
    const found = damaged.get(id)
    if (found !== undefined) throw found
  }
  const coded: CompleteDriver = {
    ...inner,
    write(id, ...rest) {
      damaged.delete(id)
      return inner.write(id, ...rest)
    },
    async read(id, range) {
      check(id)
      return await inner.read(id, range)
    },
    async stat(id) {
      check(id)
      return await inner.stat(id)
    },
  }
  const driver = wrappedDriver(coded, 'compressed')
  await driver.write('call_1', stream(bytes('content')), INFO)
  damaged.set('call_1', error)
  await expect(driver.stat('call_1')).rejects.toBe(error)
  return { driver, inner, damaged }
}

const corrupt = new StorageError('corrupt', 'damaged')

test('a corrupt entry is removed once before it is written, and counts as existing', async () => {
  const { driver } = await damagedDriver(corrupt)
  expect(await driver.touch('call_1', 5)).toBeUndefined()
  expect(await driver.write('call_1', stream(bytes('content')), INFO)).toEqual({ created: false, lastUsedAt: 1 })
  expect(await driver.stat('call_1')).toMatchObject({ size: 7 })
  // The entry is not removed this time, so its last use is later than the previous one.
  expect(await driver.write('call_1', stream(bytes('content')), INFO)).toEqual({ created: false, lastUsedAt: 2 })
})

test('a corrupt entry that has disappeared counts as created', async () => {
  const { driver, inner } = await damagedDriver(corrupt)
  await inner.remove('call_1')
  expect(await driver.write('call_1', stream(bytes('content')), INFO)).toEqual({ created: true, lastUsedAt: 1 })
})

test('an outage does not mark an entry as corrupt', async () => {
  const { driver } = await damagedDriver(new Error('down'))
  expect(await driver.touch('call_1', 5)).toBeNull()
})

test('content that was read completely again is no longer corrupt', async () => {
  const { driver, damaged } = await damagedDriver(corrupt)
  damaged.clear()
  await driver.read('call_1', { offset: 0, length: 1 })
  expect(await driver.touch('call_1', 5)).toBeUndefined()
  await driver.read('call_1')
  expect(await driver.touch('call_1', 5)).toBeNull()
})
