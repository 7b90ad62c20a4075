import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { expect, test } from 'vitest'
import { openStore, redactUrl, type LoadPackage } from './store-url.ts'

/** Stands for backends that are installed: each class only remembers what it was made with. */
function recordingPackages(): { load: LoadPackage; made: unknown[] } {
  const made: unknown[] = []
  // A function, because `new` takes what it returns: there is nothing to construct.
  const classOf = (name: string) =>
    function construct(...args: unknown[]): object {
      made.push([name, ...args])
      return {}
    }
  const load: LoadPackage = async (name) =>
    Object.fromEntries(
      ['FileStorage', 'SqliteStorage', 'RedisStorage', 'S3Storage'].map((each) => [each, classOf(`${name} ${each}`)]),
    )
  return { load, made }
}

test.each([
  ['file:./dir', ['@spillway/file FileStorage', { directory: './dir' }]],
  ['file:a b%20c', ['@spillway/file FileStorage', { directory: 'a b%20c' }]],
  [pathToFileURL('/a b').href, ['@spillway/file FileStorage', { directory: resolve('/a b') }]],
  ['sqlite:./x.db', ['@spillway/sqlite SqliteStorage', './x.db', {}]],
  ['redis://host:1/2', ['@spillway/redis RedisStorage', 'redis://host:1/2', {}]],
  ['rediss://host', ['@spillway/redis RedisStorage', 'rediss://host', {}]],
  ['s3://bucket', ['@spillway/s3 S3Storage', 'bucket', {}]],
  ['s3://bucket/a/b', ['@spillway/s3 S3Storage', 'bucket', { prefix: 'a/b' }]],
])('opens %s', async (url, expected) => {
  const { load, made } = recordingPackages()
  await openStore(url, {}, load)
  expect(made).toEqual([expected])
})

test('opens the backends that come with the command line', async () => {
  expect(await openStore('file:./nowhere')).toBeInstanceOf(FileStorage)
  expect(await openStore('memory:')).toBeInstanceOf(InMemoryStorage)
})

test('hands an age to the backend, and refuses one for S3, which has its own rules', async () => {
  const { load, made } = recordingPackages()
  await openStore('file:./dir', { ttlMs: 5 }, load)
  expect(made).toEqual([['@spillway/file FileStorage', { directory: './dir', ttlMs: 5 }]])
  await expect(openStore('s3://bucket', { ttlMs: 5 }, load)).rejects.toMatchObject({ code: 'usage' })
})

test.each(['', 'file', 'ftp://host', 'file:', 'sqlite:', 's3://', 'file://host/share', 'constructor:x'])(
  'refuses %j',
  async (url) => {
    await expect(openStore(url, {}, recordingPackages().load)).rejects.toMatchObject({ code: 'usage', exitCode: 2 })
  },
)

test('says what to install, but passes on a failure inside an installed backend', async () => {
  await expect(openStore('sqlite:./x.db')).rejects.toMatchObject({
    code: 'not-installed',
    exitCode: 3,
    message: expect.stringContaining('npm install @spillway/sqlite'),
  })
  const broken = Object.assign(new Error("Cannot find package 'ioredis' imported from …"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  const load: LoadPackage = () => Promise.reject(broken)
  await expect(openStore('redis://host', {}, load)).rejects.toBe(broken)
})

test.each([
  ['redis://user:secret@host:1/2', 'redis://host:1/2'],
  ['redis://:secret@host', 'redis://host'],
  ['redis://:p@ss@host', 'redis://host'],
  ['file:./a@b', 'file:./a@b'],
])('shows %s without credentials', (url, shown) => {
  expect(redactUrl(url)).toBe(shown)
})
