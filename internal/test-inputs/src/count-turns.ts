import { vi } from 'vitest'

/** Count the turns of the event loop while `work` runs. In each turn, other work can run. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let next: NodeJS.Immediate
  const turn = (): void => {
    turns++
    next = setImmediate(turn)
  }
  next = setImmediate(turn)
  try {
    await work()
    return turns
  } finally {
    clearImmediate(next)
  }
}

/** Count the turns of the event loop while `work` runs with a clock on which any work is slow, so that it must yield. */
export async function countSlowTurns(work: () => Promise<unknown>): Promise<number> {
  // Wait for the end of the turn that began with the real clock.
  await new Promise((resolve) => setImmediate(resolve))
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 100))
  try {
    return await countTurns(work)
  } finally {
    clock.mockRestore()
  }
}
