import { setImmediate as settle } from 'node:timers/promises'
import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OrderedQueue } from './ordered-queue.ts'

describe('OrderedQueue', () => {
  it('delivers a ready value at once if nothing waits, and returns the result of the receiver', () => {
    const queue = new OrderedQueue()
    expect(queue.push(1, (value) => value + 1)).toBe(2)
    expect(queue.settling).toBeUndefined()
  })

  it('delivers values in the order in which they were pushed, even if a later value is ready first', async () => {
    const step = fc.tuple(fc.constantFrom('push ready', 'push waiting', 'make ready'), fc.nat())
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const queue = new OrderedQueue()
      const waiting: (() => void)[] = []
      const delivered: number[] = []
      let pushed = 0
      const makeReady = (choice: number): void => waiting.splice(choice % waiting.length, 1)[0]?.()
      for (const [action, choice] of steps) {
        if (action === 'make ready') {
          if (waiting.length > 0) makeReady(choice)
          await settle()
          continue
        }
        const value = pushed++
        const { promise, resolve } = Promise.withResolvers<number>()
        if (action === 'push waiting') waiting.push(() => resolve(value))
        void queue.push(action === 'push waiting' ? promise : value, (ready) => delivered.push(ready))
      }
      while (waiting.length > 0) makeReady(steps.length)
      await queue.settling
      expect(delivered).toEqual(Array.from({ length: pushed }, (_, value) => value))
      expect(queue.settling).toBeUndefined()
    })
    await fc.assert(property, propertyRuns(50, 1_000))
  })

  it('rejects a push whose value or receiver fails, and delivers the next', async () => {
    const queue = new OrderedQueue()
    const delivered: number[] = []
    const deliver = (value: number): unknown => delivered.push(value)
    const { promise, reject } = Promise.withResolvers<number>()
    const first = queue.push(promise, deliver)
    const second = queue.push(2, () => {
      throw new Error('not taken')
    })
    const third = queue.push(3, deliver)
    reject(new Error('not ready'))
    await expect(first).rejects.toThrow('not ready')
    await expect(second).rejects.toThrow('not taken')
    await third
    expect(delivered).toEqual([3])
  })

  it('delivers the next value while a receiver is still running', async () => {
    const queue = new OrderedQueue()
    const delivered: number[] = []
    void queue.push(Promise.resolve(1), () => new Promise(() => {}))
    await queue.push(Promise.resolve(2), (value) => delivered.push(value))
    expect(delivered).toEqual([2])
  })
})
