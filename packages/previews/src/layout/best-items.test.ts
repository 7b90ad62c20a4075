import type { Item } from './preview-model.ts'
import { describe, expect, it } from 'vitest'
import { lineItem } from '../../test/line-item.ts'
import { bestItems, withParents } from './best-items.ts'

const items = (values: readonly number[]): Item[] => values.map((value, index) => lineItem({ start: index + 1, value }))

describe('bestItems', () => {
  it('returns all where there are few', () => {
    const all = items([3, 1, 2])
    expect(bestItems(all, 3)).toBe(all)
  })

  it('returns about as many as asked for, those worth most, in order', () => {
    const best = bestItems(items(Array.from({ length: 50_000 }, (_, index) => (index * 7_919) % 50_000)), 1_000)
    expect(best.length).toBeGreaterThanOrEqual(1_000)
    expect(best.length).toBeLessThan(1_600)
    expect(Math.min(...best.map(({ value }) => value))).toBeGreaterThan(48_000)
    expect(best.map(({ start }) => start)).toEqual(best.map(({ start }) => start).toSorted((one, other) => one - other))
  })
})

describe('withParents', () => {
  it('follows a long chain once', () => {
    const chain = items(Array(100_000).fill(1))
    for (const [index, item] of chain.entries()) item.parent = chain[index - 1]
    expect(withParents(chain)).toBe(chain)
    expect(withParents([chain.at(-1)!])).toHaveLength(100_000)
  })

  it('adds what items belong to, through all steps, where it is missing', () => {
    const [top, middle, leaf] = items([0, 0, 9])
    const chain = [{ ...leaf!, parent: { ...middle!, parent: top } }]
    expect(withParents(chain).map(({ start }) => start)).toEqual([1, 2, 3])
  })
})
