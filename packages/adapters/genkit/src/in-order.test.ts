import { expect, it } from 'vitest'
import { inOrder } from './in-order.ts'

it('lets work end in the order in which it was handed over, whichever is done first', async () => {
  const endInOrder = inOrder()
  const pending = [0, 1, 2, 3].map(() => Promise.withResolvers<number>())
  const ended: number[] = []
  const all = pending.map(async ({ promise }) => ended.push(await endInOrder(promise)))
  for (const index of [2, 3, 0, 1]) {
    pending[index]?.resolve(index)
    await new Promise(setImmediate)
  }
  await Promise.all(all)
  expect(ended).toEqual([0, 1, 2, 3])
})

it('ends work that is done together in its order, too', async () => {
  const endInOrder = inOrder()
  const ended: number[] = []
  await Promise.all([0, 1, 2, 3, 4].map(async (index) => ended.push(await endInOrder(Promise.resolve(index)))))
  expect(ended).toEqual([0, 1, 2, 3, 4])
})

it('rejects with what work fails with, in its turn, and goes on', async () => {
  const endInOrder = inOrder()
  const first = Promise.withResolvers<string>()
  const ended: unknown[] = []
  const all = [
    endInOrder(first.promise),
    endInOrder(Promise.reject(new Error('the second fails'))),
    endInOrder(Promise.resolve('third')),
  ].map((work) =>
    work.then(
      (value) => ended.push(value),
      (error: unknown) => ended.push(error),
    ),
  )
  await new Promise(setImmediate)
  expect(ended).toEqual([])
  first.resolve('first')
  await Promise.all(all)
  expect(ended).toEqual(['first', new Error('the second fails'), 'third'])
})
