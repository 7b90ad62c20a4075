import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { assertServedStorage, ScopeFiles, type ServedStorage } from '../files/scope-files.ts'

export interface Tenant {
  readonly offloader: ContextOffloader
  readonly storage: ServedStorage
  readonly files: ScopeFiles
}

/** Creates the resources of each scope once. There are as many scopes as tokens. */
export class Tenants {
  readonly #offloader: ContextOffloader
  readonly #onEvent: (event: OffloadEvent) => void
  readonly #tenants = new Map<string, Tenant>()

  /** @throws TypeError if the storage cannot isolate scopes. */
  constructor(offloader: ContextOffloader, onEvent: (event: OffloadEvent) => void) {
    assertServedStorage(offloader.options.storage)
    this.#offloader = offloader
    this.#onEvent = onEvent
  }

  /** Return the resources of a scope. Throws a `StorageError` `invalid-key` if a segment is invalid. */
  of(scope: readonly string[]): Tenant {
    const key = JSON.stringify(scope)
    const cached = this.#tenants.get(key)
    if (cached !== undefined) return cached
    const { options } = this.#offloader
    const onEvent = (event: OffloadEvent): void => {
      this.#onEvent(event)
      options.onEvent?.(event)
    }
    // Each scope has its own meter.
    const whole = new ContextOffloader({ ...options, onEvent })
    const offloader = scope.length === 0 ? whole : whole.forScope(...scope)
    const storage = offloader.options.storage as ServedStorage
    const tenant = { offloader, storage, files: new ScopeFiles(storage) }
    this.#tenants.set(key, tenant)
    return tenant
  }
}
