import { afterMicrotasks, SHARED_TURN_MS, yieldToEventLoop } from '#platform'
import { CallerQueues } from '../shared/caller-queues.ts'

const waiting = new CallerQueues<() => void>()
let isServing = false
/** Milliseconds of work in one turn of the event loop. */
const SLICE_MS = 5
/** Time at which the work of this turn must end. Absent before work begins. */
let sliceEnd: number | undefined

/**
 * Yield if all callers together used the time of this turn of the event loop, or if other callers wait for a turn.
 * Otherwise later work would run before the work of these callers. Call this function after each part of the work.
 */
export function yieldWhenDue(caller?: unknown): Promise<void> | undefined {
  const now = performance.now()
  return now < (sliceEnd ?? beginSlice(now)) && waiting.isEmpty ? undefined : yieldToOthers(caller)
}

function beginSlice(now: number): number {
  void yieldToEventLoop().then(() => (sliceEnd = undefined))
  return (sliceEnd = now + SLICE_MS)
}

/**
 * Yield to the event loop and to other callers. Callers take turns: between two slices of one caller, every other
 * caller gets at most one slice. Short slices share a turn of the event loop.
 */
export async function yieldToOthers(caller: unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.add(caller, resolve)
  if (!isServing) void serve()
  await promise
}

async function serve(): Promise<void> {
  isServing = true
  while (!waiting.isEmpty) {
    await yieldToEventLoop()
    const end = beginSlice(performance.now()) - SLICE_MS + SHARED_TURN_MS
    do {
      waiting.take()!()
      await afterMicrotasks()
    } while (!waiting.isEmpty && performance.now() < end)
  }
  isServing = false
}
