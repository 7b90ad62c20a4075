import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RateHeap } from './rate-heap.ts'

describe('RateHeap', () => {
  it('gives indices by falling rate, and of equal rates the lowest first', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (rates) => {
        const heap = new RateHeap()
        for (const [index, rate] of rates.entries()) heap.push(index, rate)
        const order: number[] = []
        for (let index = heap.pop(); index !== undefined; index = heap.pop()) order.push(index)
        const sorted = [...rates.keys()].toSorted((one, other) => rates[other]! - rates[one]! || one - other)
        expect(order).toEqual(sorted)
      }),
    )
  })

  it('tells the rate of what comes next', () => {
    const heap = new RateHeap()
    expect(heap.rate).toBe(-Infinity)
    heap.push(3, 1)
    heap.push(4, 2)
    expect([heap.rate, heap.pop(), heap.rate, heap.size]).toEqual([2, 4, 1, 1])
  })
})
