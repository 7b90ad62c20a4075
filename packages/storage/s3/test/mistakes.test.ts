import { S3Client } from '@aws-sdk/client-s3'
import { httpFaults, sharedS3 } from '@spillway-internal/services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { S3Storage, type S3StorageOptions } from '../src/index.ts'
import { collect, filled, rejection, stream } from './support/samples.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const MB = 1024 * 1024
const found = await sharedS3()
const service = serviceOrNowhere(found)
const bucket = testBucket(service)

describe.skipIf(!found.available)('the error for a mistake in the settings', () => {
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove())

  const operations = (storage: S3Storage): readonly (() => Promise<unknown>)[] => [
    () => storage.store('call', filled(10)),
    () => storage.store('call', filled(2 * MB)),
    () => storage.storeStream('call', stream(12, MB)),
    () => storage.retrieve('call_9_9_abcdefghijklmnopqrst'),
    () => storage.stat('call_9_9_abcdefghijklmnopqrst'),
    () => storage.open('call_9_9_abcdefghijklmnopqrst'),
    () => storage.delete('call_9_9_abcdefghijklmnopqrst'),
    () => collect(storage.list()),
    () => storage.clear(),
    () => storage.gc(),
  ]

  const expectMistake = async (options: S3StorageOptions, ...words: readonly (string | RegExp)[]): Promise<void> => {
    const storage = new S3Storage(options.bucket ?? bucket.name, { ...bucket.options(), maxAttempts: 2, ...options })
    for (const run of operations(storage)) {
      const error = await rejection(run())
      expect(error).toMatchObject({ code: 'unavailable', retryable: false })
      for (const word of words) expect(error.message).toMatch(word)
      expect(JSON.stringify([error.message, error.cause, String(error.cause)])).not.toContain('secret')
    }
    await storage.close()
  }

  test('names the credentials for a wrong secret', async () => {
    const credentials = { accessKeyId: service.accessKeyId, secretAccessKey: 'wrong-secret' }
    await expectMistake({ credentials }, '"credentials"', 'SignatureDoesNotMatch')
  })

  test('names the credentials for unknown keys', async () => {
    const credentials = { accessKeyId: 'nobody', secretAccessKey: 'wrong-secret' }
    await expectMistake({ credentials }, '"credentials"', 'InvalidAccessKeyId')
  })

  test('names a missing bucket, and never reports a missing entry', async () => {
    await expectMistake({ bucket: 'spillway-test-missing' }, '"spillway-test-missing"', '"bucket"')
  })

  test.each([
    ['a bucket of another owner names the permissions', 'AccessDenied', 's3:ListBucket'],
    ['a wrong clock is named', 'RequestTimeTooSkewed', 'Set the clock'],
    ['a removed bucket is named', 'NoSuchBucket', 'Create it'],
  ])('is never a missing entry: %s', async (_, code, words) => {
    const faults = await httpFaults(service.endpoint)
    faults.failNext(Infinity, { status: code === 'NoSuchBucket' ? 404 : 403, code })
    await expectMistake({ endpoint: faults.endpoint }, words, code)
    await faults.close()
  })

  test.each([
    [301, 'PermanentRedirect'],
    [400, 'AuthorizationHeaderMalformed'],
  ])('names the right region if the region is wrong (%i %s)', async (status, code) => {
    const faults = await httpFaults(service.endpoint)
    const body = `<Error><Code>${code}</Code><Message>Wrong.</Message><Region>eu-central-1</Region></Error>`
    faults.failNext(Infinity, { status, body, headers: { 'x-amz-bucket-region': 'eu-central-1' } })
    await expectMistake({ endpoint: faults.endpoint }, '"region"', '"eu-central-1"')
    await faults.close()
  })

  test('names the endpoint of an unreachable server, and the storage works later', async () => {
    const storage = new S3Storage({ ...bucket.options('http://127.0.0.1:1'), maxAttempts: 1 })
    const error = await rejection(storage.store('call', filled(10)))
    expect(error).toMatchObject({ code: 'unavailable', retryable: true })
    expect(error.message).toContain('"endpoint"')
    await storage.close()
  })

  test.each(['eu central', 'EU_1'])('names the impossible region %j', async (region) => {
    await expectMistake({ region }, '"region"')
  })

  test('names region and bucket, or the given endpoint, for an unknown host', async () => {
    const credentials = { accessKeyId: 'nobody', secretAccessKey: 'wrong-secret' }
    const lookup = Object.assign(new Error('getaddrinfo ENOTFOUND my-bucket.s3.eu-centrall-1.amazonaws.com'), {
      code: 'ENOTFOUND',
    })
    const handle = async (): Promise<never> => {
      throw lookup
    }
    for (const endpoint of [undefined, 'http://s3.example.com']) {
      const client = new S3Client({
        region: 'eu-centrall-1',
        credentials,
        maxAttempts: 1,
        ...(endpoint === undefined ? {} : { endpoint }),
        requestHandler: { handle },
      })
      const error = await rejection(new S3Storage('my-bucket', { client }).store('call', filled(10)))
      expect(error).toMatchObject({ code: 'unavailable', retryable: true })
      expect(error.message).toContain(endpoint === undefined ? '"region" and "bucket"' : '"endpoint"')
    }
  })

  test('names the option for an unknown bucket, for every server that reports it', async () => {
    const faults = await httpFaults(service.endpoint)
    faults.failNext(Infinity, { status: 400, code: 'InvalidBucketName' })
    await expectMistake({ endpoint: faults.endpoint }, '"bucket"', 'InvalidBucketName')
    await faults.close()
    await expectMistake({ bucket: 'arn:aws:s3' }, '"bucket"')
    await expectMistake({ bucket: 'arn:aws:s3:eu-west-1:123456789012:accesspoint/agents' }, '"bucket"', 'Path-style')
  })

  test('names a missing permission, but no users and objects', async () => {
    const faults = await httpFaults(service.endpoint)
    const message =
      'User: arn:aws:iam::123456789012:user/secret-user is not authorized to perform: s3:PutObject on resource: ' +
      '"arn:aws:s3:::my-bucket/secret tenant/call_1" because no identity-based policy allows the s3:PutObject action'
    const body = `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`
    faults.failNext(Infinity, { status: 403, body })
    await expectMistake({ endpoint: faults.endpoint }, 'AccessDenied', 'to perform: s3:PutObject')
    await faults.close()
  })

  test('names the setting for a server without conditional puts', async () => {
    const faults = await httpFaults(service.endpoint)
    faults.failNext(1, { status: 501, code: 'NotImplemented' })
    const storage = new S3Storage({ ...bucket.options(faults.endpoint), maxAttempts: 1 })
    const error = await rejection(storage.store('call', filled(10)))
    expect(error).toMatchObject({ code: 'unavailable', retryable: false })
    expect(error.message).toContain('"conditionalPut"')
    await storage.close()
    await faults.close()
  })

  test('names missing credentials and a missing region', async () => {
    const credentials = async (): Promise<never> => {
      throw Object.assign(new Error('Could not load credentials from any providers'), {
        name: 'CredentialsProviderError',
      })
    }
    const storage = new S3Storage({ ...bucket.options(), credentials })
    expect((await rejection(storage.store('call', filled(10)))).message).toContain('"credentials"')
    await storage.close()
  })
})
