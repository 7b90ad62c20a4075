import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OrderedQueue } from './ordered-queue.ts'

describe('OrderedQueue', () => {
  it('hands on at once what is ready while nothing waits, and returns what the receiver does', () => {
    const queue = new OrderedQueue()
    expect(queue.push(1, (value) => value + 1)).toBe(2)
    expect(queue.settling).toBeUndefined()
  })

  it('keeps the order whatever takes how long', async () => {
    const delays = fc.array(fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }), { maxLength: 30 })
    const property = fc.asyncProperty(delays, async (values) => {
      const queue = new OrderedQueue()
      const delivered: number[] = []
      for (const [index, delay] of values.entries()) {
        const value = delay === undefined ? index : sleep(delay).then(() => index)
        void queue.push(value, (ready) => delivered.push(ready))
        if (index % 7 === 6) await sleep(1)
      }
      await queue.settling
      expect(delivered).toEqual([...values.keys()])
      expect(queue.settling).toBeUndefined()
    })
    await fc.assert(property, { numRuns: 30 })
  })

  it('goes on where one fails to get ready, or cannot be handed on, and tells who pushed it', async () => {
    const queue = new OrderedQueue()
    const delivered: number[] = []
    const deliver = (value: number): unknown => delivered.push(value)
    const first = queue.push(
      sleep(2).then(() => Promise.reject(new Error('not ready'))),
      deliver,
    )
    const second = queue.push(2, () => {
      throw new Error('not taken')
    })
    const third = queue.push(3, deliver)
    await expect(first).rejects.toThrow('not ready')
    await expect(second).rejects.toThrow('not taken')
    await third
    expect(delivered).toEqual([3])
  })

  it('does not wait until a receiver is done', async () => {
    const queue = new OrderedQueue()
    const delivered: number[] = []
    void queue.push(Promise.resolve(1), () => new Promise(() => {}))
    await queue.push(Promise.resolve(2), (value) => delivered.push(value))
    expect(delivered).toEqual([2])
  })
})
