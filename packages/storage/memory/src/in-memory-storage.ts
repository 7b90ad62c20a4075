import { ManagedStorage } from '@spillway/core/driver'
import { MemoryDriver } from './memory-driver.ts'

const DEFAULT_EVICT_AFTER_TURNS = 20

/** Options of {@link InMemoryStorage}. */
export interface InMemoryStorageOptions {
  /**
   * Evict an entry neither stored nor retrieved for more than this many turns (model calls) of its scope.
   * Defaults to 20; `null` keeps everything until {@link InMemoryStorage} is cleared or closed.
   */
  readonly evictAfterTurns?: number | null | undefined
  /** Evict least recently used entries of a scope beyond this many bytes. Defaults to no limit. */
  readonly maxBytes?: number | null | undefined
  /** Evict an entry this many milliseconds after its last use. Defaults to never. */
  readonly ttlMs?: number | null | undefined
  /** The clock, in milliseconds since the epoch. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Keep content in the memory of this process: for tests, development, and agents whose sessions end with the process.
 *
 * @throws TypeError where an option is unknown or impossible.
 *
 * @example
 * ```ts
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: 20 })
 * const session = storage.scope('tenant-1', 'session-1')
 * const reference = await session.store('call_1_0', new TextEncoder().encode('hello'))
 * const { content, contentType } = await session.retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'hello' && contentType === 'text/plain')
 * ```
 */
export class InMemoryStorage extends ManagedStorage {
  constructor(options: InMemoryStorageOptions = {}) {
    if (typeof options !== 'object' || options === null)
      throw new TypeError(
        `InMemoryStorage takes an object of options, such as { evictAfterTurns: 20 }, got ${String(options)}.`,
      )
    const evictAfterTurns = options.evictAfterTurns === undefined ? DEFAULT_EVICT_AFTER_TURNS : options.evictAfterTurns
    super(new MemoryDriver(), { ...options, evictAfterTurns })
  }
}
