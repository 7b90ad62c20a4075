/** Run some work and count the turns that the event loop takes meanwhile: how often others could do something. */
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
