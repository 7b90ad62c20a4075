import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { assertServedStorage, ScopeFiles, type ServedStorage } from '../files/scope-files.ts'

/** What the service has for the callers of one scope. */
export interface Tenant {
  /** Works in the scope, with a meter of its own. */
  readonly offloader: ContextOffloader
  readonly storage: ServedStorage
  readonly files: ScopeFiles
}

/** Makes what each scope needs, once. There are only as many as scopes of tokens. */
export class Tenants {
  readonly #offloader: ContextOffloader
  readonly #onEvent: (event: OffloadEvent) => void
  readonly #tenants = new Map<string, Tenant>()

  /** @throws TypeError where the offloader's storage cannot keep scopes apart. */
  constructor(offloader: ContextOffloader, onEvent: (event: OffloadEvent) => void) {
    assertServedStorage(offloader.options.storage)
    this.#offloader = offloader
    this.#onEvent = onEvent
  }

  /** Return what belongs to a scope. Throws a `StorageError` `invalid-key` where a segment cannot be one. */
  of(scope: readonly string[]): Tenant {
    const key = JSON.stringify(scope)
    const known = this.#tenants.get(key)
    if (known !== undefined) return known
    const { options } = this.#offloader
    const onEvent = (event: OffloadEvent): void => {
      this.#onEvent(event)
      options.onEvent?.(event)
    }
    // One of its own for each scope, so that no meter counts what others do.
    const offloader = new ContextOffloader({ ...options, onEvent }).forScope(...scope)
    const storage = offloader.options.storage as ServedStorage
    const tenant = { offloader, storage, files: new ScopeFiles(storage) }
    this.#tenants.set(key, tenant)
    return tenant
  }
}
