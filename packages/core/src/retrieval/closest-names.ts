/** UTF-16 units of a name that are compared, and names that are. */
const LONGEST_COMPARED = 64
const MOST_COMPARED = 2_000

/** Return up to `most` of the names that are written most like `name`, the closest first. */
export function closestNames(name: string, names: readonly string[], most: number): string[] {
  const wanted = plain(name)
  const near = Math.floor(wanted.length / 2)
  return names
    .slice(0, MOST_COMPARED)
    .map((other) => ({ other, distance: distanceOf(wanted, plain(other)) }))
    .filter(({ distance }) => distance <= near)
    .toSorted((one, two) => one.distance - two.distance)
    .slice(0, most)
    .map(({ other }) => other)
}

/** What is left of a name without its case and what stands between its words. */
function plain(name: string): string {
  return name
    .slice(0, LONGEST_COMPARED)
    .toLowerCase()
    .replace(/[\s_.-]+/g, '')
}

/** How far one name is from another: a part of it is one step away. */
function distanceOf(one: string, two: string): number {
  if (one === two) return 0
  if (one.length >= 2 && two.length >= 2 && (one.includes(two) || two.includes(one))) return 1
  return editDistance(one, two)
}

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
