import { describe, expect, it } from 'vitest'
import type { Item } from './preview-model.ts'
import { lineItem } from '../../test/line-item.ts'
import { ItemStore, bestItems, withParents } from './item-store.ts'

const item = (start: number, value: number, text = 'x', parent?: Item): Item => lineItem({ start, value, text, parent })

describe('ItemStore', () => {
  it('keeps all items of a short text in order', () => {
    const store = new ItemStore()
    const items = Array.from({ length: 15_000 }, (_, index) => item(index + 1, index % 7))
    for (const each of items) store.add(each)
    expect(store.finish()).toEqual(items)
  })

  it('keeps the most valuable items of a long text, its last items, and their parents', () => {
    const store = new ItemStore()
    const parent = item(1, 0.5)
    store.add(parent)
    for (let start = 2; start <= 200_000; start++) store.add(item(start, start % 1_000 === 0 ? 100 : 1, 'x', parent))
    const kept = store.finish()
    const starts = new Set(kept.map(({ start }) => start))
    for (let start = 1_000; start <= 200_000; start += 1_000) expect(starts).toContain(start)
    for (let start = 199_980; start <= 200_000; start++) expect(starts).toContain(start)
    expect(kept[0]).toBe(parent)
    expect(kept.length).toBeLessThan(30_000)
    expect(kept.map(({ start }) => start)).toEqual([...starts].toSorted((one, other) => one - other))
  })

  it('limits the total size of long lines', () => {
    const store = new ItemStore()
    for (let start = 1; start <= 1_000; start++) store.add(item(start, 1, 'x'.repeat(20_000)))
    const units = store.finish().reduce((sum, { text }) => sum + text.length, 0)
    expect(units).toBeLessThan(2_000_000)
    expect(units).toBeGreaterThan(500_000)
  })
})

const items = (values: readonly number[]): Item[] => values.map((value, index) => lineItem({ start: index + 1, value }))

describe('bestItems', () => {
  it('returns all items if there are few', () => {
    const all = items([3, 1, 2])
    expect(bestItems(all, 3)).toBe(all)
  })

  it('returns about the requested number of items with the highest values, in order', () => {
    const best = bestItems(items(Array.from({ length: 50_000 }, (_, index) => (index * 7_919) % 50_000)), 1_000)
    expect(best.length).toBeGreaterThanOrEqual(1_000)
    expect(best.length).toBeLessThan(1_600)
    expect(Math.min(...best.map(({ value }) => value))).toBeGreaterThan(48_000)
    expect(best.map(({ start }) => start)).toEqual(best.map(({ start }) => start).toSorted((one, other) => one - other))
  })
})

describe('withParents', () => {
  it('follows a long chain of parents once', () => {
    const chain = items(Array(100_000).fill(1))
    for (const [index, item] of chain.entries()) item.parent = chain[index - 1]
    expect(withParents(chain)).toBe(chain)
    expect(withParents([chain.at(-1)!])).toHaveLength(100_000)
  })

  it('adds the missing ancestors of items', () => {
    const [top, middle, leaf] = items([0, 0, 9])
    const chain = [{ ...leaf!, parent: { ...middle!, parent: top } }]
    expect(withParents(chain).map(({ start }) => start)).toEqual([1, 2, 3])
  })
})
