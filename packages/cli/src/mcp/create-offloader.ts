import { ContextOffloader, type Storage } from '@spillway/core'
import { nameOptions } from '../name-options.ts'
import type { EventLog } from './event-log.ts'
import type { OffloaderOptions } from './offloader-options.ts'

/** Make the offloader of a command over the whole of a store; wrong options are told under the names that they have there. */
export function createOffloader(storage: Storage, options: OffloaderOptions, log: EventLog): ContextOffloader {
  return nameOptions(() => {
    const offloader = new ContextOffloader({
      storage,
      maxResultTokens: options.maxTokens,
      previewTokens: options.previewTokens,
      maxRetrievalTokens: options.maxRetrievalTokens,
      onEvent: (event) => log.offload(event),
    })
    return options.scope === undefined ? offloader : offloader.forScope(...options.scope)
  })
}
