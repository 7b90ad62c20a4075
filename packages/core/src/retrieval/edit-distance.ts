/**
 * Count the letters to insert, remove, replace or swap with the next to make one word of another: in the time of one length
 * times the other.
 */
export function editDistance(a: string, b: string): number {
  let beforePrevious: readonly number[] = []
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swapped = isSwapped ? beforePrevious[column - 2]! + 1 : Infinity
      current.push(Math.min(replaced, swapped, previous[column]! + 1, current[column - 1]! + 1))
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]!
}
