import { setImmediate as nextTurn } from 'node:timers/promises'

/** Let so many turns of the event loop pass, in which other work goes on. */
export async function eventLoopTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn()
}
