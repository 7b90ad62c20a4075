/** How many of some ascending numbers are from `from` to `to`. */
export function countBetween(numbers: readonly number[], from: number, to: number): number {
  return firstAtLeast(numbers, to + 1) - firstAtLeast(numbers, from)
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
