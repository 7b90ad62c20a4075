/** Passages shown unless the call says how many. */
const DEFAULT_PASSAGES = 5

/** Passages of one answer, at most. */
const MAX_PASSAGES = 100

/** How many passages a call asks for. */
export function passageCount(limit: number | undefined): number {
  return Math.min(limit ?? DEFAULT_PASSAGES, MAX_PASSAGES)
}
