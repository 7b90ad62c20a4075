import { countOf } from './gap-marks.ts'

/** How many of some ascending numbers are from `from` to `to`. */
export function countBetween(numbers: readonly number[], from: number, to: number): number {
  return firstAtLeast(numbers, to + 1) - firstAtLeast(numbers, from)
}

/** Say of a gap how many things begin in it, by the ascending numbers of their lines; nothing where none does. */
export function hiddenOf(starts: readonly number[], noun: string, from: number, to: number): string[] {
  const hidden = countBetween(starts, from, to)
  return hidden === 0 ? [] : [countOf(hidden, noun)]
}

function firstAtLeast(numbers: readonly number[], least: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}
