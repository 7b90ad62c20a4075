import { warn } from '@spillway/text/internal'
import type { ResolvedOptions } from './context-offloader-options.ts'
import type { OffloadEvent } from './offload-event.ts'

/** Tell of an event to whoever listens; what that throws is printed as a warning and costs nothing else. */
export function emitEvent({ onEvent }: Pick<ResolvedOptions, 'onEvent'>, event: OffloadEvent): void {
  const failed = (error: unknown): void => warn('onEvent threw; the agent is not affected.', error)
  try {
    const returned: unknown = onEvent?.(event)
    // An asynchronous function is assignable too, and its rejection would end the process.
    if (returned instanceof Promise) returned.catch(failed)
  } catch (error) {
    failed(error)
  }
}
