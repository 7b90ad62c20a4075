import { afterMicrotasks, SHARED_TURN_MS, yieldToEventLoop } from '#platform'
import { CallerQueues } from '../shared/caller-queues.ts'

const waiting = new CallerQueues<{ readonly isNew: boolean; readonly begin: () => void }>()
let isServing = false
/** Milliseconds of work in one turn of the event loop. */
const SLICE_MS = 5
/** Time at which the work of this turn must end. Absent before work begins. */
let sliceEnd: number | undefined
const NOBODY = Symbol('nobody')
/** The caller whose slice runs now. */
let running: unknown = NOBODY
/** Whether the next slice is for a caller that has just arrived. */
let servesNew = true

/**
 * Yield if the time of this turn of the event loop is used, or if other work waits for its slice. Only the caller whose
 * slice runs now continues before the other work. Call this function after each part of the work.
 */
export function yieldWhenDue(caller: unknown): Promise<void> | undefined {
  const now = performance.now()
  const mayContinue = waiting.isEmpty || caller === running
  return now < (sliceEnd ?? beginSlice(now)) && mayContinue ? undefined : yieldToOthers(caller)
}

function beginSlice(now: number): number {
  void yieldToEventLoop().then(() => (sliceEnd = undefined))
  return (sliceEnd = now + SLICE_MS)
}

/**
 * Yield to the event loop and to other callers. Callers that wait get one slice each, in order. Every second slice is
 * for a caller that has just arrived, so that a short call does not wait for all other callers. Short slices share a
 * turn of the event loop.
 */
export async function yieldToOthers(caller: unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const begin = (): void => {
    running = caller
    resolve()
  }
  waiting.add(caller, { isNew: caller !== running && !waiting.has(caller), begin })
  if (!isServing) void serve()
  await promise
}

async function serve(): Promise<void> {
  isServing = true
  while (!waiting.isEmpty) {
    await yieldToEventLoop()
    const end = beginSlice(performance.now()) - SLICE_MS + SHARED_TURN_MS
    do {
      const arrived = servesNew ? waiting.take(({ isNew }) => isNew) : undefined
      servesNew = arrived === undefined
      const next = arrived ?? waiting.take()!
      next.begin()
      await afterMicrotasks()
      running = NOBODY
    } while (!waiting.isEmpty && performance.now() < end)
  }
  isServing = false
}
