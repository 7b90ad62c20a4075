/** Run some work and count the turns of the event loop meanwhile, in which other code could run. */
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
