import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { propertyRuns } from '@spillway-internal/test-run'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openStore, type LoadPackage } from './store-url.ts'

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
  ['sqlite:./x.db', ['@spillway/sqlite SqliteStorage', { path: './x.db' }]],
  ['redis://host:1/2', ['@spillway/redis RedisStorage', 'redis://host:1/2', {}]],
  ['rediss://host', ['@spillway/redis RedisStorage', 'rediss://host', {}]],
  ['redis+cluster://a:1,b:2', ['@spillway/redis RedisStorage', 'redis+cluster://a:1,b:2', {}]],
  ['s3://bucket', ['@spillway/s3 S3Storage', 'bucket', {}]],
  ['s3://bucket/a/b?region=eu-west-1', ['@spillway/s3 S3Storage', 'bucket', { prefix: 'a/b', region: 'eu-west-1' }]],
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

test('says what to install where a backend, or the client that it works with, is missing', async () => {
  const missing = (name: string): LoadPackage => {
    const code = 'ERR_MODULE_NOT_FOUND'
    return () => Promise.reject(Object.assign(new Error(`Cannot find package '${name}' imported from …`), { code }))
  }
  for (const name of ['@spillway/redis', 'ioredis']) {
    await expect(openStore('redis://host', {}, missing(name))).rejects.toMatchObject({
      code: 'not-installed',
      exitCode: 3,
      message: expect.stringContaining('npm install @spillway/redis ioredis (with -g'),
    })
  }
  await expect(openStore('file:./dir', {}, missing('@spillway/file'))).rejects.toMatchObject({ code: 'not-installed' })
  await expect(openStore('redis://host', {}, missing('other'))).rejects.toThrow("Cannot find package 'other'")
})

test('never shows a password of a URL that is mistyped', async () => {
  const scheme = fc.constantFrom('redis', 'rediss', 'redis+cluster', 's3', 'file', 'sqlite', 'memory', 'postgres', '')
  const slashes = fc.constantFrom('://', ':/', ':', '//', ':///', ' ://', '')
  const special = fc.constantFrom('@', '/', '?', '#', '%', ':', ' ', '%40', '\u0000', '')
  const place = fc.constantFrom('host', 'host:6379/0', 'a:1,b:2', 'bucket/prefix', 'host?db=1', '', 'host:port', 'h ')
  const user = fc.constantFrom('', 'user', 'us er', 'user@example.com')
  await fc.assert(
    fc.asyncProperty(scheme, slashes, user, special, place, async (name, between, who, sign, where) => {
      const password = `hunter${sign}2secret`
      for (const url of [
        `${name}${between}${who}:${password}@${where}`,
        `${name}${between}${where}?password=${password}`,
      ]) {
        const error: unknown = await openStore(url).catch((caught: unknown) => caught)
        if (error instanceof Error)
          for (const part of ['hunter', '2secret']) expect(inspect(error, { depth: 9 })).not.toContain(part)
      }
    }),
    propertyRuns(1_000, 10_000),
  )
})
