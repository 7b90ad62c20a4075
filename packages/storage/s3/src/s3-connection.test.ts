import { expect, test } from 'vitest'
import { S3Client } from '@aws-sdk/client-s3'
import { S3Storage } from './index.ts'
import { Slots } from './s3-connection.ts'

test('the error for an unknown region names the variable of the environment', async () => {
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }
  const region = (): Promise<string> => Promise.reject(new Error('Region is missing'))
  const storage = new S3Storage('my-bucket', { client: new S3Client({ region, credentials }) })
  await expect(Array.fromAsync(storage.list())).rejects.toThrow('or AWS_REGION in the environment.')
})

test('a limited number of tasks runs in parallel, and the others wait in order, even after failures', async () => {
  const slots = new Slots(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const results = [0, 1, 2, 3].map((number) =>
    slots.run(async () => {
      begun.push(number)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (number === 1) throw new Error('failed')
      return number
    }),
  )
  const settled = Promise.allSettled(results)
  await new Promise(setImmediate)
  expect(begun).toEqual([0, 1])
  ends[1]!()
  await new Promise(setImmediate)
  expect(begun).toEqual([0, 1, 2])
  ends[0]!()
  ends[2]!()
  await new Promise(setImmediate)
  expect(begun).toEqual([0, 1, 2, 3])
  ends[3]!()
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})
