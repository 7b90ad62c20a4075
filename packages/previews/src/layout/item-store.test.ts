import { describe, expect, it } from 'vitest'
import { itemOf, type Item } from './preview-model.ts'
import { lineItem } from '../../test/line-item.ts'
import { ItemStore, LastItems } from './item-store.ts'

const item = (start: number, value: number, text = 'x', parent?: Item): Item => lineItem({ start, value, text, parent })

describe('ItemStore', () => {
  it('keeps everything of a text that is not long, in order', () => {
    const store = new ItemStore()
    const items = Array.from({ length: 15_000 }, (_, index) => item(index + 1, index % 7))
    for (const each of items) store.add(each)
    expect(store.finish()).toEqual(items)
  })

  it('keeps of a long text what is worth most, its last items, and what they belong to', () => {
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

  it('holds long lines within a size', () => {
    const store = new ItemStore()
    for (let start = 1; start <= 1_000; start++) store.add(item(start, 1, 'x'.repeat(20_000)))
    const units = store.finish().reduce((sum, { text }) => sum + text.length, 0)
    expect(units).toBeLessThan(2_000_000)
    expect(units).toBeGreaterThan(500_000)
  })
})

const line = (number: number) => ({ number, text: `line ${number}`, tail: '', hidden: 0 })

describe('LastItems', () => {
  it('gives the last items in order, those that were only passed as well', () => {
    const last = new LastItems()
    const parent = itemOf(line(1), 0, 9, 1, undefined)
    last.add(parent)
    for (let number = 2; number <= 100; number++) {
      if (number % 3 === 0) last.add(itemOf(line(number), 0, 1, 1, parent))
      else last.pass(line(number), number % 2, 0.5, 2, parent)
    }
    const items = last.finish()
    expect(items.map(({ start }) => start)).toEqual(Array.from({ length: 32 }, (_, index) => index + 69))
    expect(items.at(-1)).toEqual(itemOf(line(100), 0, 0.5, 2, parent))
    expect(items.at(-2)).toEqual(itemOf(line(99), 0, 1, 1, parent))
  })

  it('gives fewer where there were fewer', () => {
    const last = new LastItems()
    last.pass(line(1), 0, 1, 0, undefined)
    expect(last.finish().map(({ text }) => text)).toEqual(['line 1'])
    expect(new LastItems().finish()).toEqual([])
  })
})
