import { setImmediate as nextTurn } from 'node:timers/promises'

/** Wait for a number of turns of the event loop. */
export async function eventLoopTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn()
}
