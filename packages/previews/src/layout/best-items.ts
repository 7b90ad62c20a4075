import type { Item } from './preview-model.ts'

/** Values looked at to tell how many items are worth more than one. */
const SAMPLE = 1_024

/**
 * Return about `count` items that are worth most, at least, with those that they make no sense without, in order; all
 * items where there are not many more.
 *
 * Values are not sorted: a part of them, evenly spread, tells which value about so many items reach.
 */
export function bestItems(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count * 1.5) return items
  const least = valueReachedBy(items, count * 1.2)
  const best: Item[] = []
  for (const item of items) if (item.value >= least && (item.value > 0 || least > 0)) best.push(item)
  return withParents(best)
}

/** Add the items that others make no sense without, where they are missing; items are and stay in order. */
export function withParents(items: Item[]): Item[] {
  const missing = new Set<Item>()
  let known: Item | undefined
  for (const item of items) {
    if (item.parent === known) continue
    known = item.parent
    // One that is there comes with its own.
    for (let parent = known; parent !== undefined && !missing.has(parent); { parent } = parent) {
      if (isAmong(items, parent)) break
      missing.add(parent)
    }
  }
  return missing.size === 0 ? items : [...items, ...missing].toSorted((one, other) => one.start - other.start)
}

function isAmong(items: readonly Item[], item: Item): boolean {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (items[middle]!.start < item.start) low = middle + 1
    else high = middle
  }
  return items[low] === item
}

/** The value that about `count` of the items reach, told from some of them that are evenly spread. */
export function valueReachedBy(items: readonly Item[], count: number): number {
  const step = Math.max(1, Math.floor(items.length / SAMPLE))
  const sample = new Float64Array(Math.ceil(items.length / step))
  for (let index = 0; index < sample.length; index++) sample[index] = items[index * step]!.value
  sample.sort()
  return sample[Math.max(0, Math.floor(sample.length * (1 - count / items.length)))]!
}
