import { expect, test } from 'vitest'
import { Slots } from './s3-connection.ts'

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
