import { expect, test } from 'vitest'
import { StorageError } from '../storage/storage-error.ts'
import { orMiss } from './or-miss.ts'

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

test.each([undefined, null])('a storage that returns %s reports a missing entry', async (nothing) => {
  await expect(orMiss(REFERENCE, async () => nothing)).rejects.toMatchObject({
    code: 'not-found',
    reference: REFERENCE,
    retryable: false,
  })
})

test.each([0, '', false, {}])('a storage may return %j', async (value) => {
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
])('an error named $name with code $code and message "$message" means a missing entry', async (error) => {
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
])('the error %o does not mean a missing entry', async (error) => {
  expect(await rejected(error)).toBe(error)
})

test('an error that is thrown synchronously can mean a missing entry, too', async () => {
  const find = (): never => {
    throw named('KeyError')
  }
  await expect(orMiss(REFERENCE, find)).rejects.toMatchObject({ code: 'not-found' })
})

test('an error with the code of a StorageError is unchanged', async () => {
  const error = new StorageError('unavailable', `${REFERENCE} was not found, as the disk is down.`)
  expect(await rejected(error)).toBe(error)
})
