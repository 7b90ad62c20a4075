/** Options that every backend built with `createStorage` can take. */
export interface ManagedStorageOptions {
  /** Evict an entry that was neither stored nor retrieved for more than this many turns of its scope. `null`: never. */
  readonly evictAfterTurns?: number | null | undefined
  /** Evict an entry this many milliseconds after its last use. `null`: never. */
  readonly ttlMs?: number | null | undefined
  /** Evict least recently used entries of a scope beyond this many bytes. `null`: no limit. */
  readonly maxBytes?: number | null | undefined
  /** The clock, in milliseconds since the epoch. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined
}

const NAMES: readonly string[] = [
  'evictAfterTurns',
  'ttlMs',
  'maxBytes',
  'now',
] satisfies (keyof ManagedStorageOptions)[]

/** Refuse unknown options and impossible values with a `TypeError` that names the option. */
export function assertManagedStorageOptions(options: ManagedStorageOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`Storage options must be an object, got ${String(options)}.`)
  for (const name of Object.keys(options))
    if (!NAMES.includes(name))
      throw new TypeError(`Unknown storage option ${JSON.stringify(name)}. Known: ${NAMES.join(', ')}.`)
  const { evictAfterTurns, ttlMs, maxBytes, now } = options
  if (evictAfterTurns != null && !(Number.isInteger(evictAfterTurns) && evictAfterTurns >= 1))
    throw new TypeError(`evictAfterTurns must be a whole number of turns, 1 or more, or null; got ${evictAfterTurns}.`)
  if (ttlMs != null && !(Number.isFinite(ttlMs) && ttlMs > 0))
    throw new TypeError(`ttlMs must be a positive number of milliseconds, or null; got ${ttlMs}.`)
  if (maxBytes != null && !(Number.isFinite(maxBytes) && maxBytes > 0))
    throw new TypeError(`maxBytes must be a positive number of bytes, or null; got ${maxBytes}.`)
  if (now !== undefined && typeof now !== 'function')
    throw new TypeError('now must be a function returning milliseconds.')
}
