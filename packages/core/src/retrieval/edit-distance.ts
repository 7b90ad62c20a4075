/** Count the letters to insert, remove or replace to make one word of another: in the time of one length times the other. */
export function editDistance(one: string, two: string): number {
  let previous = Array.from({ length: two.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= two.length; column++) {
      const replaced = previous[column - 1]! + (one[row - 1] === two[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1))
    }
    previous = current
  }
  return previous[two.length]!
}
