import type { ContextOffloader } from '../offload/context-offloader.ts'
import type { OffloadedBlock } from '../offload/offload-request.ts'

/** The key under which a replaced result has metadata for programs. */
export const OFFLOADED_KEY = 'spillway/offloaded'

/** Metadata for programs, such as a user interface. Models do not see this metadata. */
export interface OffloadedMetadata {
  readonly [OFFLOADED_KEY]: { readonly stored: readonly OffloadedBlock[] }
}

/** Call a function that offloads, and return its result with metadata for programs if something was stored. */
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
