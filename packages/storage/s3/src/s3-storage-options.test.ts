import { S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { S3Storage, type S3StorageOptions } from './index.ts'
import { resolveOptions } from './s3-storage-options.ts'

const client = new S3Client({ region: 'us-east-1' })

test.each<[object, RegExp]>([
  [{ ttlMs: 1 }, /ttlMs.*putLifecycleRule/],
  [{ maxBytes: 1 }, /maxBytes.*putLifecycleRule/],
  [{ buckets: 'a' }, /Unknown option "buckets"/],
  [{ prefix: 7 }, /prefix/],
  [{ prefix: 'a//b' }, /prefix/],
  [{ prefix: '../b' }, /prefix/],
  [{ prefix: 'a\u0000' }, /prefix/],
  [{ prefix: 'p'.repeat(91) }, /prefix/],
  [{ endpoint: 'localhost:9000' }, /endpoint/],
  [{ endpoint: 'https://key:secret@host' }, /endpoint.*"credentials"/],
  [{ endpoint: 'https://host/my-bucket' }, /must not contain the bucket/],
  [{ endpoint: 'https://host/my-bucket/' }, /must not contain the bucket/],
  [{ endpoint: 'https://my-bucket.s3.eu-central-1.amazonaws.com' }, /must not contain the bucket/],
  [{ region: '' }, /region/],
  [{ region: 5n }, /region/],
  [{ credentials: 'key' }, /credentials/],
  [{ credentials: {} }, /credentials/],
  [{ credentials: null }, /credentials/],
  [{ credentials: { accessKeyId: 'key', secretAccessKey: '' } }, /credentials/],
  [{ forcePathStyle: 1 }, /forcePathStyle/],
  [{ requestTimeoutMs: 0 }, /requestTimeoutMs/],
  [{ maxAttempts: 1.5 }, /maxAttempts/],
  [{ checksums: 'never' }, /checksums/],
  [{ partBytes: 1 }, /partBytes/],
  [{ conditionalPut: 'no' }, /conditionalPut/],
  [{ client: {} }, /client/],
  [{ client, region: 'eu-central-1' }, /region is an option of the client/],
  [{ client, maxAttempts: 2 }, /maxAttempts is an option of the client/],
  [{ evictAfterTurns: 0 }, /evictAfterTurns/],
])('S3 options cannot be %o', (options, message) => {
  expect(() => new S3Storage('my-bucket', options as S3StorageOptions)).toThrow(TypeError)
  expect(() => new S3Storage('my-bucket', options as S3StorageOptions)).toThrow(message)
})

test.each([undefined, '', 'a', 'a b', 'bucket/sub', 's3://bucket', 'host:bucket', 7])(
  'the bucket cannot be %j',
  (bucket) => {
    expect(() => new S3Storage(bucket as string)).toThrow(TypeError)
    expect(() => new S3Storage({ bucket: bucket as string })).toThrow(TypeError)
  },
)

test('the bucket may be before the options or in them', () => {
  expect(new S3Storage('my-bucket')).toBeInstanceOf(S3Storage)
  expect(new S3Storage({ bucket: 'my-bucket', prefix: '/a/b/' })).toBeInstanceOf(S3Storage)
  const accessPoint = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/agents'
  expect(new S3Storage(accessPoint)).toBeInstanceOf(S3Storage)
})

test("checksums and paths default to values that an endpoint's server supports", () => {
  const aws = resolveOptions({ bucket: 'my-bucket' }, 'S3Storage')
  expect([aws.connection.checksums, aws.prefix]).toEqual(['when-supported', 'spillway'])
  const other = resolveOptions({ bucket: 'my-bucket', endpoint: 'http://localhost:9000', prefix: '/' }, 'S3Storage')
  expect([other.connection.checksums, other.prefix]).toEqual(['when-required', ''])
})
