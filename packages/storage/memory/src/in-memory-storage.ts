import {
  concatBytes,
  ManagedStorage,
  RecencyMap,
  type ByteRange,
  type DriverContent,
  type DriverEntry,
  type EntryId,
  type EntryInfo,
  type NewEntryInfo,
  type OpenEntry,
  type StorageDriver,
} from '@spillway/core/driver'

const DEFAULT_EVICT_AFTER_TURNS = 20

/** Options of {@link InMemoryStorage}. */
export interface InMemoryStorageOptions {
  /**
   * Evict entries unused for more than this many turns (model calls) of their scope. Defaults to 20. `null` turns it
   * off.
   */
  readonly evictAfterTurns?: number | null | undefined
  /**
   * Largest number of bytes in each scope. Above it, the least recently used entries are evicted. Defaults to no limit.
   */
  readonly maxBytes?: number | null | undefined
  /** Evict entries this many milliseconds after their last use. Defaults to never. */
  readonly ttlMs?: number | null | undefined
  /** Clock, in milliseconds since the epoch. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Store content in the memory of this process. It is for tests, development, and agents whose sessions end with the
 * process.
 *
 * @throws TypeError if an option is unknown or invalid.
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

interface Entry {
  readonly content: Uint8Array
  info: EntryInfo
}

interface Scope {
  readonly path: string
  readonly parent: Scope | undefined
  readonly below: Set<Scope>
  /** Entries in the order of their use. */
  readonly entries: RecencyMap<EntryId, Entry>
}

/** Scopes form a tree, so that listing a scope costs only its own entries. */
export class MemoryDriver implements StorageDriver {
  readonly ephemeral = true
  readonly refreshMs = 0
  /** Scopes that have entries, and their parents, by path. */
  readonly #scopes = new Map<string, Scope>()

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined = () => undefined,
  ): Promise<boolean> {
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    const content = concatBytes(parts)
    const index = lineIndex()
    const kept = index === undefined ? {} : { lineIndex: index }
    if ((await this.touch(id, info.lastUsedAt)) !== undefined) return false
    const entry: Entry = { content, info: { ...info, ...kept, size: content.byteLength } }
    this.#madeScope(parentPath(id)).entries.set(id, entry)
    return true
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    const entry = this.#find(id)
    if (entry === undefined) return undefined
    const { offset, length } = range ?? { offset: 0, length: entry.content.byteLength }
    // Not content.slice(), which for a Buffer would share its memory.
    const content = new Uint8Array(entry.content.subarray(offset, offset + length))
    return { content, info: entry.info }
  }

  async open(id: EntryId): Promise<OpenEntry | undefined> {
    const entry = this.#find(id)
    if (entry === undefined) return undefined
    const { content, info } = entry
    return {
      info,
      read: async ({ offset, length }) => content.subarray(offset, offset + length),
      close: async () => undefined,
    }
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    return this.#find(id)?.info
  }

  async touch(id: EntryId, lastUsedAt: number): Promise<number | undefined> {
    const entries = this.#scopes.get(parentPath(id))?.entries
    const entry = entries?.get(id)
    if (entries === undefined || entry === undefined) return undefined
    entry.info = { ...entry.info, lastUsedAt: Math.max(lastUsedAt, entry.info.lastUsedAt + 1) }
    // The order of use distinguishes entries used in the same millisecond.
    entries.set(id, entry)
    return entry.info.lastUsedAt
  }

  async remove(id: EntryId): Promise<boolean> {
    const scope = this.#scopes.get(parentPath(id))
    if (scope === undefined || !scope.entries.delete(id)) return false
    this.#prune(scope)
    return true
  }

  async *list(prefix: string): AsyncGenerator<DriverEntry> {
    const scope = this.#scopes.get(parentPath(prefix))
    if (scope !== undefined) yield* listed(scope)
  }

  async close(): Promise<void> {
    this.#scopes.clear()
  }

  #find(id: EntryId): Entry | undefined {
    return this.#scopes.get(parentPath(id))?.entries.get(id)
  }

  #madeScope(path: string): Scope {
    const known = this.#scopes.get(path)
    if (known !== undefined) return known
    const parent = path === '' ? undefined : this.#madeScope(parentPath(path))
    const scope: Scope = { path, parent, below: new Set(), entries: new RecencyMap() }
    parent?.below.add(scope)
    this.#scopes.set(path, scope)
    return scope
  }

  #prune(scope: Scope): void {
    for (let at: Scope | undefined = scope; at?.entries.size === 0 && at.below.size === 0; at = at.parent) {
      at.parent?.below.delete(at)
      this.#scopes.delete(at.path)
    }
  }
}

const parentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Iterates over copies, because an entry that is used moves to the end. */
function* listed(scope: Scope): Generator<DriverEntry> {
  for (const [id, { info }] of [...scope.entries]) yield { id, info }
  for (const below of [...scope.below]) yield* listed(below)
}
