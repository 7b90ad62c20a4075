import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { sharedPostgres, sharedRedis, sharedS3 } from '@spillway-internal/services'
import { expect, onTestFinished, test } from 'vitest'
import { backends, tryOut } from './backends.ts'

const redis = await sharedRedis()
const postgres = await sharedPostgres()
const s3 = await sharedS3()

async function expectSameAnswer(environment: Record<string, string>, name: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-backends-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const all = backends(directory, environment)
  const [memory, wanted] = [all[0]?.storage, all.find((backend) => backend.name === name)?.storage]
  if (memory === undefined || wanted === undefined) throw new Error(`${name} is not set up`)
  const expected = await tryOut(memory)
  expect(expected.originalTokens).toBeGreaterThan(30_000)
  expect(expected.shownTokens).toBeLessThan(2_500)
  expect(expected.answer).toMatch(/7[^]*1507[^]*3007/)
  expect(await tryOut(wanted)).toEqual(expected)
}

test.each(['file', 'sqlite'])('%s gives the same reference, preview, and answer as memory', async (name) => {
  await expectSameAnswer({}, name)
})

test.skipIf(!redis.available)('Redis gives the same reference, preview, and answer as memory', async () => {
  if (!redis.available) return
  await expectSameAnswer({ REDIS_URL: redis.url }, 'redis')
})

test.skipIf(!postgres.available)('PostgreSQL gives the same reference, preview, and answer as memory', async () => {
  if (!postgres.available) return
  await expectSameAnswer({ POSTGRES_URL: postgres.url }, 'postgres')
})

test.skipIf(!s3.available)('S3 gives the same reference, preview, and answer as memory', async () => {
  if (!s3.available) return
  const { endpoint, region, accessKeyId, secretAccessKey } = s3
  process.env['AWS_ACCESS_KEY_ID'] = accessKeyId
  process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey
  const client = new S3Client({ endpoint, region, forcePathStyle: true })
  onTestFinished(() => client.destroy())
  const bucket = `example-${crypto.randomUUID()}`
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  await expectSameAnswer({ S3_BUCKET: bucket, S3_ENDPOINT: endpoint }, 's3')
})

test('the example prints a line for each backend, names the settings of missing ones, and exits', async () => {
  const { REDIS_URL: _, S3_BUCKET: __, POSTGRES_URL: ___, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'backends.ts')], { env })
  for (const name of ['memory', 'file', 'sqlite'])
    expect(stdout).toMatch(new RegExp(`^${name}: \\d{5,} tokens became \\d{3,4}, under call_1_0_\\w+$`, 'm'))
  expect(stdout).toContain('redis: not used; set REDIS_URL')
  expect(stdout).toContain('postgres: not used; set POSTGRES_URL')
  expect(stdout).toContain('s3: not used; set S3_BUCKET')
})
