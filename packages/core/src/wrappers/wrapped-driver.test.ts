import { expect, test } from 'vitest'
import { fourMethods } from '../../test/four-methods.ts'
import { bytes, stream } from '../conformance/sample.ts'
import { completeDriver } from '../storage/managed-storage.ts'
import { StorageError } from '../storage/storage-error.ts'
import { WrappedDriver } from './wrapped-driver.ts'

const INFO = { key: 'call', contentType: 'text/plain', storedAt: 1, lastUsedAt: 1, metadata: {} }

class FaultyDriver extends WrappedDriver {
  readonly damaged = new Map<string, Error>()

  constructor() {
    super(completeDriver(fourMethods()), 'compressed')
  }

  protected override encode: WrappedDriver['write'] = (id, ...rest) => {
    this.damaged.delete(id)
    return this.inner.write(id, ...rest)
  }
  protected override decode: WrappedDriver['read'] = async (id, range) => {
    this.#check(id)
    return await this.inner.read(id, range)
  }
  protected override describe: WrappedDriver['stat'] = async (id) => {
    this.#check(id)
    return await this.inner.stat(id)
  }
  protected override decodeOpen: WrappedDriver['open'] = (id) => this.inner.open(id)
  override list: WrappedDriver['list'] = (...listing) => this.inner.list(...listing)

  async lose(id: string): Promise<void> {
    await this.inner.remove(id)
  }

  #check(id: string): void {
    const error = this.damaged.get(id)
    if (error !== undefined) throw error
  }
}

async function damagedDriver(error: Error): Promise<FaultyDriver> {
  const driver = new FaultyDriver()
  await driver.write('call_1', stream(bytes('content')), INFO)
  driver.damaged.set('call_1', error)
  await expect(driver.stat('call_1')).rejects.toBe(error)
  return driver
}

const corrupt = new StorageError('corrupt', 'damaged')

test('a corrupt entry is removed once before it is written, and counts as existing', async () => {
  const driver = await damagedDriver(corrupt)
  expect(await driver.touch('call_1', 5)).toBeUndefined()
  expect(await driver.write('call_1', stream(bytes('content')), INFO)).toEqual({ created: false, lastUsedAt: 1 })
  expect(await driver.stat('call_1')).toMatchObject({ size: 7 })
  // Not removed this time: the last use continues after the previous one.
  expect(await driver.write('call_1', stream(bytes('content')), INFO)).toEqual({ created: false, lastUsedAt: 2 })
})

test('a corrupt entry that has disappeared counts as created', async () => {
  const driver = await damagedDriver(corrupt)
  await driver.lose('call_1')
  expect(await driver.write('call_1', stream(bytes('content')), INFO)).toEqual({ created: true, lastUsedAt: 1 })
})

test('an outage does not mark an entry as corrupt', async () => {
  const driver = await damagedDriver(new Error('down'))
  expect(await driver.touch('call_1', 5)).toBeNull()
})

test('content that was read completely again is no longer corrupt', async () => {
  const driver = await damagedDriver(corrupt)
  driver.damaged.clear()
  await driver.read('call_1', { offset: 0, length: 1 })
  expect(await driver.touch('call_1', 5)).toBeUndefined()
  await driver.read('call_1')
  expect(await driver.touch('call_1', 5)).toBeNull()
})
