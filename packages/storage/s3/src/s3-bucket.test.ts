import { expect, test } from 'vitest'
import { setImmediate as settle } from 'node:timers/promises'
import { mapAhead } from './s3-bucket.ts'

test('results have the order of their items, although several items are processed in parallel', async () => {
  let underway = 0
  let most = 0
  const results: number[] = []
  const items = Array.from({ length: 20 }, (_, index) => index)
  for await (const result of mapAhead(items, 4, async (item) => {
    most = Math.max(most, (underway += 1))
    for (let turn = (item * 7) % 5; turn > 0; turn -= 1) await settle()
    underway -= 1
    return item * 2
  }))
    results.push(result)
  expect(results).toEqual(items.map((item) => item * 2))
  expect(most).toBe(4)
})

test('the first failure rejects, and later failures are ignored', async () => {
  const failing = mapAhead([1, 2, 3], 3, async (item) => {
    if (item > 1) throw new Error(`item ${item}`)
    return item
  })
  await expect(failing.next()).resolves.toEqual({ value: 1, done: false })
  await expect(failing.next()).rejects.toThrow('item 2')
})
