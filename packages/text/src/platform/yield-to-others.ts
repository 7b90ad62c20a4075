import { yieldToEventLoop } from '#platform'
import { CallerQueues } from '../shared/caller-queues.ts'

const waiting = new CallerQueues<() => void>()
let isServing = false

/**
 * Yield to the event loop and to other callers. Callers go on one after the other, one in each turn of the event loop: between
 * two slices of one caller there is at most one of each other, however much work each has.
 *
 * @param caller - Identity of the caller, compared like the key of a `Map`.
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
    waiting.take()!()
  }
  isServing = false
}
