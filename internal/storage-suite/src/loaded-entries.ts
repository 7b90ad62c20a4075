/** An entry whose reference was returned to a client. */
export interface LoadedEntry {
  readonly scope: readonly [string, string]
  readonly reference: string
  readonly key: string
}

/** Entries of a load that are never deleted, by tenant, as far as the clients of one process know them. */
export class LoadedEntries {
  readonly #byTenant = new Map<string, { readonly known: Set<string>; readonly list: LoadedEntry[] }>()

  /** Record an entry. Another call with the same entry has no effect. */
  add(tenant: string, entry: LoadedEntry): void {
    let entries = this.#byTenant.get(tenant)
    if (entries === undefined) this.#byTenant.set(tenant, (entries = { known: new Set(), list: [] }))
    if (entries.known.has(entry.reference)) return
    entries.known.add(entry.reference)
    entries.list.push(entry)
  }

  /** Return an entry of a tenant; `undefined` before the first entry. */
  any(tenant: string, random: () => number): LoadedEntry | undefined {
    return pick(this.#byTenant.get(tenant)?.list ?? [], random)
  }

  /** Return an entry of another tenant, or of another session of this tenant. */
  elsewhere(tenant: string, scope: readonly [string, string], random: () => number): LoadedEntry | undefined {
    const tenants = [...this.#byTenant.keys()]
    const entry = this.any(tenants[Math.floor(random() * tenants.length)] ?? tenant, random)
    return entry?.scope.join() === scope.join() ? undefined : entry
  }
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)]
}
