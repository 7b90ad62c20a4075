import { GetBucketLifecycleConfigurationCommand, PutBucketLifecycleConfigurationCommand } from '@aws-sdk/client-s3'
import { sharedS3 } from '@spillway-internal/services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lifecycleRule, putLifecycleRule } from '../src/index.ts'
import { oddServer } from './support/odd-server.ts'
import { rejection } from './support/samples.ts'
import { serviceOrNowhere, testBucket } from './support/test-bucket.ts'

const found = await sharedS3()
const bucket = testBucket(serviceOrNowhere(found))

test('the lifecycle rule expires entries and uploads of a prefix, but not of similar prefixes', () => {
  expect(lifecycleRule({ prefix: '/agents/', expireAfterDays: 30 })).toEqual({
    ID: 'spillway agents',
    Status: 'Enabled',
    Filter: { Prefix: 'agents/' },
    Expiration: { Days: 30 },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 },
  })
  expect(lifecycleRule({ expireAfterDays: 1 }).Filter).toEqual({ Prefix: 'spillway/' })
  expect(lifecycleRule({ prefix: '', expireAfterDays: 1 }).Filter).toEqual({ Prefix: '' })
})

test.each([0, 1.5, -1, Number.NaN, undefined, '30'])('a lifecycle rule cannot have %j days', (days) => {
  expect(() => lifecycleRule({ expireAfterDays: days as number })).toThrow(/expireAfterDays/)
  if (days !== undefined)
    expect(() => lifecycleRule({ expireAfterDays: 1, abortUploadsAfterDays: days as number })).toThrow(
      /abortUploadsAfterDays/,
    )
})

describe.skipIf(!found.available)('a bucket', () => {
  const { bucket: name, ...reached } = bucket.options()
  const rules = async (): Promise<unknown[]> => {
    const command = new GetBucketLifecycleConfigurationCommand({ Bucket: name })
    return (await bucket.client.send(command)).Rules ?? []
  }
  beforeAll(() => bucket.create())
  afterAll(() => bucket.remove())

  test('gets the new rule or an updated rule, and keeps the rules of others', async () => {
    const first = await putLifecycleRule(name, { ...reached, expireAfterDays: 30 })
    expect(await rules()).toEqual([first])
    const foreign = { ID: 'logs', Status: 'Enabled', Filter: { Prefix: 'logs/' }, Expiration: { Days: 7 } } as const
    await bucket.client.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket: name, LifecycleConfiguration: { Rules: [foreign, first] } }),
    )
    const second = await putLifecycleRule(name, { ...reached, expireAfterDays: 5, abortUploadsAfterDays: 1 })
    const third = await putLifecycleRule(name, { client: bucket.client, prefix: 'other', expireAfterDays: 3 })
    expect(await rules()).toHaveLength(3)
    expect(await rules()).toEqual(expect.arrayContaining([foreign, second, third]))
  })

  test("keeps others' old rules with a prefix by giving them a filter", async () => {
    const old = { ID: 'old', Status: 'Enabled', Prefix: 'logs/', Expiration: { Days: 7 } } as const
    await bucket.client.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket: name, LifecycleConfiguration: { Rules: [old] } }),
    )
    const rule = await putLifecycleRule(name, { ...reached, expireAfterDays: 30 })
    const { Prefix, ...rest } = old
    expect(await rules()).toEqual(expect.arrayContaining([{ ...rest, Filter: { Prefix } }, rule]))
  })

  test('keeps its minimum object size for transitions between storage classes', async () => {
    const header = 'x-amz-transition-default-minimum-object-size'
    const server = await oddServer(bucket.endpoint)
    for (const size of ['varies_by_storage_class', undefined]) {
      const put: unknown[] = []
      server.answer(async (request, ask) => {
        if (request.method === 'PUT') put.push(request.headers[header])
        const { headers, ...answer } = await ask()
        return { ...answer, headers: { ...headers, ...(size === undefined ? {} : { [header]: size }) } }
      })
      await putLifecycleRule(name, { ...reached, endpoint: server.endpoint, expireAfterDays: 30 })
      expect(put).toEqual([size])
    }
    await server.close()
  })

  test('is named if it does not exist', async () => {
    const error = await rejection(putLifecycleRule('spillway-test-missing', { ...reached, expireAfterDays: 30 }))
    expect(error.message).toContain('"spillway-test-missing"')
  })

  test('accepts no unknown option', async () => {
    await expect(putLifecycleRule(name, { days: 30 } as never)).rejects.toThrow('Unknown option "days"')
  })
})
