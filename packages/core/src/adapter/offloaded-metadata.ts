import type { ContextOffloader } from '../offload/context-offloader.ts'
import type { OffloadedBlock } from '../offload/offload-request.ts'

/** The key of metadata for programs beside a replaced result. */
export const OFFLOADED_KEY = 'spillway/offloaded'

/** Metadata for programs, such as a user interface. Models do not see it. */
export interface OffloadedMetadata {
  readonly [OFFLOADED_KEY]: { readonly stored: readonly OffloadedBlock[] }
}

/**
 * Offload by a function, and return what it returns, with metadata for programs if something was stored.
 *
 * Rejects as the function does.
 */
export async function withMetadata<Result>(
  offloader: Pick<ContextOffloader, 'offload'>,
  offload: (offloader: Pick<ContextOffloader, 'offload'>) => Promise<Result>,
): Promise<{ readonly result: Result; readonly metadata?: OffloadedMetadata }> {
  let stored: readonly OffloadedBlock[] = []
  const result = await offload({
    async offload(request) {
      const outcome = await offloader.offload(request)
      if (outcome.status === 'offloaded') stored = outcome.stored
      return outcome
    },
  })
  return stored.length === 0 ? { result } : { result, metadata: { [OFFLOADED_KEY]: { stored } } }
}
