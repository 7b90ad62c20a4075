import {
  assertChunks,
  assertContent,
  assertContentType,
  assertKey,
  assertMetadata,
  assertRange,
} from './assert-input.ts'
import { BoundedMap } from './bounded-map.ts'
import { copyBytes, plainBytes } from './bytes.ts'
import { entryId, idPrefix, splitId } from './entry-id.ts'
import { EvictionLog } from './eviction-log.ts'
import { KeyedLock } from './keyed-lock.ts'
import { missingError } from './missing-error.ts'
import { assertReference, contentReference, isReference, randomReference } from './reference.ts'
import { scopePath, type Scope } from './scope.ts'
import { ScopeQuota } from './scope-quota.ts'
import { StorageError, type Eviction, type EvictionReason } from './storage-error.ts'
import type { DriverContent, EntryId, EntryInfo, StorageDriver } from './storage-driver.ts'
import type {
  ByteRange,
  DeleteOptions,
  EvictedEntry,
  EvictionReport,
  GcReport,
  ListOptions,
  Location,
  OperationOptions,
  StoredContent,
  StoredInfo,
  StoredRange,
  StoreOptions,
} from './storage.ts'
import { countedChunks, onlyChunk, sourceChunks } from './stream-chunks.ts'
import { TurnTracker } from './turn-tracker.ts'
import { checkAborted, guard, guardIteration } from './guard.ts'
import type { ManagedStorageOptions } from './managed-storage-options.ts'

const DEFAULT_REFRESH_MS = 60_000
const MAX_KNOWN_CONTENT_TYPES = 10_000

/**
 * Do for every backend what must be right once: references, walls between scopes, validation, idempotence, use,
 * turns, age, quota, tombstones, and the mapping of failures to `StorageError`.
 */
export class StorageEngine {
  readonly driver: StorageDriver
  readonly #ttlMs: number | null
  readonly #now: () => number
  readonly #turns: TurnTracker | undefined
  readonly #quota: ScopeQuota | undefined
  readonly #log = new EvictionLog()
  readonly #locks = new KeyedLock()
  /** Content types of recently used entries: what `locate`, which cannot wait, needs to know. */
  readonly #contentTypes = new BoundedMap<EntryId, string>(MAX_KNOWN_CONTENT_TYPES)

  constructor(driver: StorageDriver, options: ManagedStorageOptions) {
    this.driver = driver
    this.#ttlMs = options.ttlMs ?? null
    this.#now = options.now ?? Date.now
    if (options.evictAfterTurns != null) this.#turns = new TurnTracker(options.evictAfterTurns)
    if (options.maxBytes != null) this.#quota = new ScopeQuota(options.maxBytes)
  }

  async store(
    scope: Scope,
    key: string,
    content: Uint8Array,
    contentType: string,
    options: StoreOptions,
  ): Promise<string> {
    assertKey(key)
    assertContent(content)
    assertContentType(contentType)
    assertMetadata(options.metadata)
    this.#quota?.assertFits(key, content.byteLength)
    checkAborted(options.signal)
    const bytes = options.transfer === true ? content : copyBytes(content)
    const reference = await contentReference({ scope: scope.segments, key, contentType, content: bytes })
    await this.#write(scope, reference, key, contentType, onlyChunk(bytes), options)
    return reference
  }

  async storeStream(
    scope: Scope,
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    contentType: string,
    options: StoreOptions,
  ): Promise<string> {
    assertKey(key)
    assertChunks(chunks)
    assertContentType(contentType)
    assertMetadata(options.metadata)
    checkAborted(options.signal)
    const reference = randomReference(key)
    let size = 0
    const checked = sourceChunks(chunks, options.signal, (chunk) => {
      this.#quota?.assertFits(key, (size += chunk.byteLength))
      return options.transfer === true ? chunk : copyBytes(chunk)
    })
    await this.#write(scope, reference, key, contentType, checked, options)
    return reference
  }

  async #write(
    scope: Scope,
    reference: string,
    key: string,
    contentType: string,
    chunks: AsyncIterable<Uint8Array>,
    options: StoreOptions,
  ): Promise<void> {
    const path = await scopePath(scope)
    const id = entryId(path, reference)
    const metadata = { ...options.metadata }
    const quota = this.#quota
    let usedAt = this.#now()
    let size = 0
    let writing = false
    try {
      const created = await this.#locks.run(id, () =>
        guard({ action: 'store', key }, async () => {
          const touched = await this.driver.touch?.(id, usedAt)
          if (touched !== undefined) {
            usedAt = touched
            return false
          }
          checkAborted(options.signal)
          const present = this.driver.touch === undefined ? await this.#info(id) : undefined
          // Writing again is what such a driver has for touching, and each use must be told from the one before.
          if (present !== undefined) usedAt = Math.max(usedAt, present.lastUsedAt + 1)
          quota?.writing(id)
          writing = true
          const counted = countedChunks(chunks, (bytes) => (size = bytes))
          const info = { key, contentType, storedAt: present?.storedAt ?? usedAt, lastUsedAt: usedAt, metadata }
          return (await this.driver.write(id, counted, info)) ?? present === undefined
        }),
      )
      this.#turns?.used(path, reference)
      this.#log.remove(path, reference)
      this.#contentTypes.set(id, contentType)
      // Not while the entry is locked: two stores that evict each other's entry would wait for ever.
      if (created && quota !== undefined)
        await this.#locks.run(`quota:${path}`, () => this.#makeRoom(path, quota, id, size))
      options.onStored?.({ reference, created, usedAt })
    } finally {
      if (writing) quota?.written(id)
    }
  }

  async retrieve(scope: Scope, reference: string, options: OperationOptions): Promise<StoredContent> {
    const { content, info } = await this.#read(scope, reference, undefined, options)
    return { content, contentType: info.contentType }
  }

  async retrieveRange(
    scope: Scope,
    reference: string,
    range: ByteRange,
    options: OperationOptions,
  ): Promise<StoredRange> {
    assertRange(range)
    const { content, info } = await this.#read(scope, reference, range, options)
    return { content, contentType: info.contentType, size: info.size }
  }

  async #read(
    scope: Scope,
    reference: string,
    range: ByteRange | undefined,
    options: OperationOptions,
  ): Promise<DriverContent> {
    assertReference(reference)
    checkAborted(options.signal)
    const path = await scopePath(scope)
    const id = entryId(path, reference)
    const found = await guard({ action: 'retrieve', reference }, () => this.driver.read(id, range))
    if (found === undefined || (await this.#expire(path, reference, found.info)))
      throw await this.#missing(path, reference)
    const start = Math.min(range?.offset ?? 0, found.info.size)
    const expected = Math.min(range?.length ?? Infinity, found.info.size - start)
    if (found.content.byteLength !== expected)
      throw new StorageError(
        'corrupt',
        `${reference} came back with ${found.content.byteLength} bytes instead of ${expected}. Run the tool again.`,
        { reference },
      )
    this.#turns?.used(path, reference)
    this.#contentTypes.set(id, found.info.contentType)
    await this.#refresh(id, reference, found.info)
    return { content: plainBytes(found.content), info: found.info }
  }

  async #refresh(id: EntryId, reference: string, info: EntryInfo): Promise<void> {
    const longest = this.driver.refreshMs ?? DEFAULT_REFRESH_MS
    const refreshMs = this.#ttlMs === null ? longest : Math.min(longest, this.#ttlMs / 4)
    const now = this.#now()
    if (this.driver.touch === undefined || now - info.lastUsedAt < refreshMs) return
    await guard({ action: 'refresh', reference }, async () => this.driver.touch?.(id, now)).catch((error: unknown) => {
      // The content has been read; a storage that cannot be written, such as a read-only disk, must not withhold it.
      if (!StorageError.isInstance(error) || error.code !== 'unavailable') throw error
    })
  }

  async stat(scope: Scope, reference: string, options: OperationOptions): Promise<StoredInfo> {
    assertReference(reference)
    checkAborted(options.signal)
    const path = await scopePath(scope)
    const info = await guard({ action: 'describe', reference }, () => this.#info(entryId(path, reference)))
    if (info === undefined || (await this.#expire(path, reference, info))) throw await this.#missing(path, reference)
    this.#contentTypes.set(entryId(path, reference), info.contentType)
    return this.#storedInfo(reference, info)
  }

  async *list(scope: Scope, options: ListOptions): AsyncGenerator<StoredInfo> {
    checkAborted(options.signal)
    const prefix = idPrefix(await scopePath(scope))
    for await (const { id, info } of guardIteration({ action: 'list' }, () => this.driver.list(prefix))) {
      checkAborted(options.signal)
      const rest = id.slice(prefix.length)
      const reference = rest.slice(rest.lastIndexOf('/') + 1)
      if (!id.startsWith(prefix) || !isReference(reference) || this.#isExpired(info)) continue
      if (options.below === false && rest !== reference) continue
      yield this.#storedInfo(reference, info)
    }
  }

  async delete(scope: Scope, reference: string, options: DeleteOptions): Promise<void> {
    assertReference(reference)
    checkAborted(options.signal)
    const path = await scopePath(scope)
    const id = entryId(path, reference)
    await this.#locks.run(id, () =>
      guard({ action: 'delete', reference }, async () => {
        const { unusedSince } = options
        const gone = unusedSince === undefined ? await this.driver.remove(id) : await this.#evictUnused(id, unusedSince)
        if (unusedSince !== undefined && !gone) return
        this.#quota?.forget(path)
        this.#forget(path, reference)
        this.#log.remove(path, reference)
      }),
    )
  }

  async clear(scope: Scope, options: OperationOptions): Promise<number> {
    checkAborted(options.signal)
    const prefix = idPrefix(await scopePath(scope))
    let cleared = 0
    for await (const { id } of guardIteration({ action: 'clear' }, () => this.driver.list(prefix))) {
      checkAborted(options.signal)
      if (!id.startsWith(prefix)) continue
      const { path, reference } = splitId(id)
      const gone = await this.#locks.run(id, () => guard({ action: 'clear', reference }, () => this.driver.remove(id)))
      if (gone) cleared += 1
      this.#quota?.forget(path)
      this.#forget(path, reference)
      this.#log.remove(path, reference)
    }
    return cleared
  }

  async endTurn(scope: Scope): Promise<EvictionReport> {
    const turns = this.#turns
    if (turns === undefined) return { evicted: [] }
    const path = await scopePath(scope)
    if (this.driver.ephemeral !== true && !turns.isListed(path)) {
      for await (const { reference } of this.list(scope, { below: false })) turns.found(path, reference)
      turns.listed(path)
    }
    const evicted: EvictedEntry[] = []
    for (const reference of turns.endTurn(path)) {
      const id = entryId(path, reference)
      const size = await this.#evict(id, 'turns', () => turns.isDue(path, reference))
      if (size !== undefined) evicted.push({ reference, size, reason: 'turns' })
      else if (turns.isDue(path, reference)) {
        // Used by another process meanwhile, it counts from now; or it went some other way.
        const info = await guard({ action: 'describe', reference }, () => this.#info(id))
        if (info === undefined) turns.forget(path, reference)
        else turns.used(path, reference)
      }
    }
    return { evicted }
  }

  async gc(scope: Scope, options: OperationOptions): Promise<GcReport> {
    checkAborted(options.signal)
    const prefix = idPrefix(await scopePath(scope))
    let expired = 0
    let bytes = 0
    if (this.#ttlMs !== null)
      for await (const { id, info } of guardIteration({ action: 'collect' }, () => this.driver.list(prefix))) {
        checkAborted(options.signal)
        if (!id.startsWith(prefix) || !this.#isExpired(info)) continue
        const size = await this.#evict(id, 'age', (latest) => this.#isExpired(latest))
        if (size === undefined) continue
        expired += 1
        bytes += size
      }
    const collected = await guard({ action: 'collect' }, async () => this.driver.collect?.(prefix, this.#now()))
    return { expired, leftovers: collected?.leftovers ?? 0, bytes: bytes + (collected?.bytes ?? 0) }
  }

  locate(scope: Scope, reference: string): Location | undefined {
    assertReference(reference)
    if (scope.path === undefined) return undefined
    const id = entryId(scope.path, reference)
    const contentType = this.#contentTypes.get(id)
    return contentType === undefined ? undefined : this.driver.locate?.(id, { contentType })
  }

  async close(): Promise<void> {
    await guard({ action: 'close' }, async () => this.driver.close?.())
  }

  /** Evict an entry that is still due once it is locked; return its size, or `undefined` where it stays. */
  async #evict(id: EntryId, reason: EvictionReason, isDue: (info: EntryInfo) => boolean): Promise<number | undefined> {
    const { path, reference } = splitId(id)
    return this.#locks.run(id, () =>
      guard({ action: 'evict', reference }, async () => {
        const info = await this.#info(id)
        if (info === undefined || !isDue(info)) return undefined
        const eviction: Eviction = { reason, evictedAt: this.#now(), metadata: info.metadata }
        if (!(await this.#evictUnused(id, info.lastUsedAt, eviction))) return undefined
        if (this.driver.findEviction === undefined) this.#log.add(path, reference, eviction)
        if (reason !== 'quota') this.#quota?.forget(path)
        this.#forget(path, reference)
        return info.size
      }),
    )
  }

  async #evictUnused(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean> {
    if (this.driver.evict !== undefined) return this.driver.evict(id, unusedSince, eviction)
    const info = await this.#info(id)
    return info !== undefined && info.lastUsedAt <= unusedSince && this.driver.remove(id)
  }

  async #makeRoom(path: string, quota: ScopeQuota, added: EntryId, size: number): Promise<void> {
    await quota.added(path, added, size, {
      list: () => this.#exactly(path),
      evict: async (id, lastUsedAt) =>
        (await this.#evict(id, 'quota', (info) => info.lastUsedAt <= lastUsedAt)) !== undefined,
    })
  }

  async *#exactly(path: string): AsyncGenerator<{ id: EntryId; info: EntryInfo }> {
    for await (const entry of guardIteration({ action: 'list' }, () => this.driver.list(idPrefix(path))))
      if (splitId(entry.id).path === path) yield entry
  }

  /** Remove an entry that was found past its age; return whether it is gone. */
  async #expire(path: string, reference: string, info: EntryInfo): Promise<boolean> {
    if (!this.#isExpired(info)) return false
    const id = entryId(path, reference)
    if ((await this.#evict(id, 'age', (latest) => this.#isExpired(latest))) !== undefined) return true
    const latest = await guard({ action: 'describe', reference }, () => this.#info(id))
    return latest === undefined || this.#isExpired(latest)
  }

  #isExpired(info: EntryInfo): boolean {
    return this.#ttlMs !== null && this.#now() >= info.lastUsedAt + this.#ttlMs
  }

  async #missing(path: string, reference: string): Promise<StorageError> {
    const eviction =
      this.#log.find(path, reference) ??
      (await guard({ action: 'retrieve', reference }, async () => this.driver.findEviction?.(entryId(path, reference))))
    this.#forget(path, reference)
    return missingError(reference, eviction)
  }

  #forget(path: string, reference: string): void {
    this.#turns?.forget(path, reference)
    this.#contentTypes.delete(entryId(path, reference))
  }

  async #info(id: EntryId): Promise<EntryInfo | undefined> {
    if (this.driver.stat !== undefined) return this.driver.stat(id)
    return (await this.driver.read(id, { offset: 0, length: 0 }))?.info
  }

  #storedInfo(reference: string, info: EntryInfo): StoredInfo {
    const { key, contentType, size, storedAt, lastUsedAt, metadata } = info
    const known = { reference, key, contentType, size, storedAt, lastUsedAt, metadata: { ...metadata } }
    return this.#ttlMs === null ? known : { ...known, expiresAt: lastUsedAt + this.#ttlMs }
  }
}
