import { propertyRuns } from '@spillway-internal/test-run'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { openStore, parsePostgresUrl, parseRedisUrl, parseS3Url, type LoadPackage } from './with-store.ts'

/** Replaces the packages of backends: each class only records its arguments. */
function recordingPackages(): { load: LoadPackage; made: unknown[] } {
  const made: unknown[] = []
  // This is a function, because `new` returns the object that the function returns.
  const classOf = (name: string) =>
    function construct(...args: unknown[]): object {
      made.push([name, ...args])
      return {}
    }
  const load: LoadPackage = async (name) =>
    Object.fromEntries(
      ['FileStorage', 'SqliteStorage', 'RedisStorage', 'PostgresStorage', 'S3Storage'].map((each) => [
        each,
        classOf(`${name} ${each}`),
      ]),
    )
  return { load, made }
}

test.each([
  ['file:./dir', ['@spillway/file FileStorage', { directory: './dir' }]],
  ['file:~/dir', ['@spillway/file FileStorage', { directory: join(homedir(), 'dir') }]],
  ['file:a b%20c', ['@spillway/file FileStorage', { directory: 'a b%20c' }]],
  [pathToFileURL('/a b').href, ['@spillway/file FileStorage', { directory: resolve('/a b') }]],
  ['sqlite:./x.db', ['@spillway/sqlite SqliteStorage', { path: './x.db' }]],
  ['redis://host:1/2', ['@spillway/redis RedisStorage', 'redis://host:1/2', {}]],
  ['rediss://host', ['@spillway/redis RedisStorage', 'rediss://host', {}]],
  ['redis+cluster://a:1,b:2', ['@spillway/redis RedisStorage', 'redis+cluster://a:1,b:2', {}]],
  ['postgres://host/db', ['@spillway/postgres PostgresStorage', 'postgres://host/db', {}]],
  ['postgresql://h/d?schema=s', ['@spillway/postgres PostgresStorage', 'postgresql://h/d', { schema: 's' }]],
  ['s3://bucket', ['@spillway/s3 S3Storage', 'bucket', {}]],
  ['s3://bucket/a/b?region=eu-west-1', ['@spillway/s3 S3Storage', 'bucket', { prefix: 'a/b', region: 'eu-west-1' }]],
])('withStore opens %s', async (url, expected) => {
  const { load, made } = recordingPackages()
  await openStore(url, {}, load)
  expect(made).toEqual([expected])
})

test('withStore opens the backends that come with the command line', async () => {
  expect(await openStore('file:./nowhere')).toBeInstanceOf(FileStorage)
  expect(await openStore('memory:')).toBeInstanceOf(InMemoryStorage)
})

test('withStore passes an age to the backend, but refuses an age for S3, which has lifecycle rules', async () => {
  const { load, made } = recordingPackages()
  await openStore('file:./dir', { ttlMs: 5 }, load)
  expect(made).toEqual([['@spillway/file FileStorage', { directory: './dir', ttlMs: 5 }]])
  await expect(openStore('s3://bucket', { ttlMs: 5 }, load)).rejects.toMatchObject({ code: 'usage' })
})

test.each(['', 'file', 'ftp://host', 'file:', 'sqlite:', 's3://', 'file://host/share', 'constructor:x'])(
  'withStore refuses %j',
  async (url) => {
    await expect(openStore(url, {}, recordingPackages().load)).rejects.toMatchObject({ code: 'usage', exitCode: 2 })
  },
)

test('withStore says what to install if a backend or its client is missing', async () => {
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

test('withStore never shows the password of a mistyped URL', async () => {
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

test.each([
  ['redis://host:1/2', { url: 'redis://host:1/2' }],
  ['REDISS://host', { url: 'rediss://host' }],
  ['redis://u:pa%3Fss@host?prefix=app:1', { url: 'redis://u:pa%3Fss@host', prefix: 'app:1' }],
  ['redis://:pa?ss@host?prefix=p', { url: 'redis://:pa?ss@host', prefix: 'p' }],
  ['redis+cluster://a:1,b:2?prefix=p', { url: 'redis+cluster://a:1,b:2', prefix: 'p' }],
  ['redis://host?', { url: 'redis://host' }],
])('a PostgreSQL URL may be %s', (url, place) => {
  expect(parseRedisUrl(url)).toEqual(place)
})

test.each([
  ['redis://host?password=hunter2', /^The URL of a Redis store has an unknown parameter\. Known: prefix\.$/],
  ['redis://host?prefix=a&prefix=b', /given twice/],
  ['redis://host?prefix=', /must not be empty/],
])('a PostgreSQL URL cannot be %s', (url, message) => {
  expect(() => parseRedisUrl(url)).toThrow(message)
})

test.each([
  ['postgres://u:p%3Fw@h:1/d', { url: 'postgres://u:p%3Fw@h:1/d' }],
  ['postgres://u:p?schema=w@h/d', { url: 'postgres://u:p?schema=w@h/d' }],
  ['postgres://h/d?sslmode=require', { url: 'postgres://h/d?sslmode=require' }],
  ['postgres://h/d?sslmode=require&schema=s', { url: 'postgres://h/d?sslmode=require', schema: 's' }],
])('a schema may come from %s', (url, place) => {
  expect(parsePostgresUrl(url)).toEqual(place)
})

test('a PostgreSQL store cannot have two schemas', () => {
  expect(() => parsePostgresUrl('postgres://h/d?schema=a&schema=b')).toThrow('given twice')
})

test.each([
  ['s3://bucket', { bucket: 'bucket' }],
  ['s3://bucket/', { bucket: 'bucket' }],
  ['S3://bucket/a/b/', { bucket: 'bucket', prefix: 'a/b' }],
  ['s3://bucket/a%20b%3F%25', { bucket: 'bucket', prefix: 'a b?%' }],
  ['s3://bucket?region=eu-west-1', { bucket: 'bucket', region: 'eu-west-1' }],
  ['s3://bucket?path-style=false', { bucket: 'bucket', forcePathStyle: false }],
  ['s3://bucket?conditional-put=false', { bucket: 'bucket', conditionalPut: false }],
  [
    's3://bucket/p?endpoint=http://127.0.0.1:9000&region=us-east-1&path-style=true',
    { bucket: 'bucket', prefix: 'p', endpoint: 'http://127.0.0.1:9000', region: 'us-east-1', forcePathStyle: true },
  ],
])('an S3 URL may be %s', (url, place) => {
  expect(parseS3Url(url)).toEqual(place)
})

test.each([
  ['s3://', /needs a bucket/],
  ['s3:///prefix', /needs a bucket/],
  ['s3:bucket', /needs a bucket/],
  ['s3://bucket?acl=public', /unknown parameter\. Known: endpoint, region, path-style, conditional-put\./],
  ['s3://bucket?constructor=1', /unknown parameter/],
  ['s3://bucket?region=a&region=b', /given twice/],
  ['s3://bucket?region=', /must not be empty/],
  ['s3://bucket?path-style', /path-style of an S3 store must not be empty/],
  ['s3://bucket?path-style=1', /true or false/],
  ['s3://bucket?endpoint=localhost:9000', /an http: or https: URL/],
  ['s3://bucket/100%', /%25 for a percent sign/],
])('an S3 URL cannot be %s', (url, message) => {
  expect(() => parseS3Url(url)).toThrow(message)
})

test.each([
  's3://KEY:hunter2@bucket',
  's3://KEY:hun/ter2@bucket/prefix',
  's3://bucket?secret-access-key=hunter2',
  's3://bucket?endpoint=https://KEY:hunter2@host',
])('credentials in an S3 URL are refused and not repeated: %s', (url) => {
  expect(() => parseS3Url(url)).toThrow(/^Credentials do not belong in the URL .*AWS_ACCESS_KEY_ID/)
  expect(() => parseS3Url(url)).not.toThrow(/hun|KEY:/)
})
