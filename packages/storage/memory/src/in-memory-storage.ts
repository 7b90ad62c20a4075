import {
  concatBytes,
  ManagedStorage,
  RecencyMap,
  type DriverEntry,
  type EntryId,
  type EntryInfo,
  type ManagedStorageOptions,
  type StorageDriver,
  shown,
  splitId,
} from '@spillway/core/driver'

const DEFAULT_EVICT_AFTER_TURNS = 20

/** Options of {@link InMemoryStorage}. */
export interface InMemoryStorageOptions extends ManagedStorageOptions {
  /** Evict entries unused for more than this many turns (model calls) of their scope. Defaults to 20. `null`: never. */
  readonly evictAfterTurns?: number | null | undefined
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
      throw new TypeError(`InMemoryStorage takes options such as { evictAfterTurns: 20 }, got ${shown(options)}.`)
    const evictAfterTurns = options.evictAfterTurns === undefined ? DEFAULT_EVICT_AFTER_TURNS : options.evictAfterTurns
    super(memoryDriver(), { ...options, evictAfterTurns })
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

/** Scopes form a tree, so that listing a scope reads only its own entries. */
export function memoryDriver(): StorageDriver {
  /** Scopes that have entries, and their parents, by path. */
  const scopes = new Map<string, Scope>()
  const find = (id: EntryId): Entry | undefined => scopes.get(splitId(id).path)?.entries.get(id)
  const makeScope = (path: string): Scope => {
    const known = scopes.get(path)
    if (known !== undefined) return known
    const parent = path === '' ? undefined : makeScope(splitId(path).path)
    const scope: Scope = { path, parent, below: new Set(), entries: new RecencyMap() }
    parent?.below.add(scope)
    scopes.set(path, scope)
    return scope
  }
  const touch = async (id: EntryId, lastUsedAt: number): Promise<number | undefined> => {
    const entry = find(id)
    if (entry === undefined) return undefined
    entry.info = { ...entry.info, lastUsedAt: Math.max(lastUsedAt, entry.info.lastUsedAt + 1) }
    // The order of use distinguishes entries used in the same millisecond.
    scopes.get(splitId(id).path)?.entries.set(id, entry)
    return entry.info.lastUsedAt
  }
  return {
    ephemeral: true,
    refreshMs: 0,

    async write(id, chunks, info, lineIndex) {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk)
      const content = concatBytes(parts)
      const index = lineIndex?.()
      const kept = index === undefined ? {} : { lineIndex: index }
      if ((await touch(id, info.lastUsedAt)) !== undefined) return false
      makeScope(splitId(id).path).entries.set(id, { content, info: { ...info, ...kept, size: content.byteLength } })
      return true
    },

    async read(id, range) {
      const entry = find(id)
      if (entry === undefined) return undefined
      const { offset, length } = range ?? { offset: 0, length: entry.content.byteLength }
      // Copy the bytes: `content.slice()` of a Buffer would share its memory.
      return { content: new Uint8Array(entry.content.subarray(offset, offset + length)), info: entry.info }
    },

    async open(id) {
      const entry = find(id)
      if (entry === undefined) return undefined
      const { content, info } = entry
      return {
        info,
        read: async ({ offset, length }) => content.subarray(offset, offset + length),
        close: async () => undefined,
      }
    },

    stat: async (id) => find(id)?.info,
    touch,

    async remove(id) {
      const scope = scopes.get(splitId(id).path)
      if (scope === undefined || !scope.entries.delete(id)) return false
      for (let at: Scope | undefined = scope; at?.entries.size === 0 && at.below.size === 0; at = at.parent) {
        at.parent?.below.delete(at)
        scopes.delete(at.path)
      }
      return true
    },

    async *list(prefix) {
      const scope = scopes.get(splitId(prefix).path)
      if (scope !== undefined) yield* listed(scope)
    },

    close: async () => scopes.clear(),
  }
}

/** Iterates over copies, because an entry that is used moves to the end. */
function* listed(scope: Scope): Generator<DriverEntry> {
  for (const [id, { info }] of [...scope.entries]) yield { id, info }
  for (const below of [...scope.below]) yield* listed(below)
}
