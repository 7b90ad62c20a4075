import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { assertServedStorage, ScopeFiles, type ServedStorage } from '../files/scope-files.ts'

export interface Tenant {
  readonly offloader: ContextOffloader
  readonly storage: ServedStorage
  readonly files: ScopeFiles
}

/**
 * Return a function that creates the resources of each scope once. There are as many scopes as tokens. The function
 * throws a `StorageError` `invalid-key` if a segment is invalid.
 */
export function tenantsOf(
  root: ContextOffloader,
  report: (event: OffloadEvent) => void,
): (scope: readonly string[]) => Tenant {
  const tenants = new Map<string, Tenant>()
  assertServedStorage(root.options.storage)

  return (scope) => {
    const key = JSON.stringify(scope)
    const cached = tenants.get(key)
    if (cached !== undefined) return cached
    const { options } = root
    const onEvent = (event: OffloadEvent): void => {
      report(event)
      options.onEvent?.(event)
    }
    // Each scope has a separate meter.
    const whole = new ContextOffloader({ ...options, onEvent })
    const offloader = scope.length === 0 ? whole : whole.forScope(...scope)
    const storage = offloader.options.storage as ServedStorage
    const tenant = { offloader, storage, files: new ScopeFiles(storage) }
    tenants.set(key, tenant)
    return tenant
  }
}
