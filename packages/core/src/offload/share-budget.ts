/**
 * Share a budget among parts: those that need less than an even share get what they need, the others the rest evenly.
 *
 * @param needs - What each part could use at most.
 * @returns What each part gets, in the order of `needs`; at most `budget` in all.
 */
export function shareBudget(needs: readonly number[], budget: number): number[] {
  const shares: number[] = Array.from(needs, () => 0)
  const smallestFirst = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need)
  let left = budget
  for (const [position, { need, index }] of smallestFirst.entries()) {
    const share = Math.min(need, Math.floor(left / (smallestFirst.length - position)))
    shares[index] = share
    left -= share
  }
  return shares
}
