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
