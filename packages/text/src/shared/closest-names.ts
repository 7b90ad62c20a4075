const LONGEST_COMPARED = 64
const MOST_COMPARED = 2_000

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

/** Remove case, and separators between words, which do not matter for the distance. */
function plain(name: string): string {
  return name
    .slice(0, LONGEST_COMPARED)
    .toLowerCase()
    .replace(/[\s_.-]+/g, '')
}

/** Return the distance of two names. If one name contains the other, the distance is 1. */
function distanceOf(one: string, two: string): number {
  if (one === two) return 0
  if (one.length >= 2 && two.length >= 2 && (one.includes(two) || two.includes(one))) return 1
  return editDistance(one, two)
}

/** Restricted Damerau-Levenshtein distance, in time proportional to the product of both lengths. */
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
