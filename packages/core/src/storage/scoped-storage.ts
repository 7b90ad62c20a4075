import { BoundedMap, copyBytes, KeyedLock, plainBytes } from '@spillway/text/internal'
import type { LineIndexRecorder } from '@spillway/text/internal/lines'
import { EntryLifetime } from './entry-lifetime.ts'
import type { OpenParts, OpenSegments, UnendedEntries } from './entry-writer.ts'
import {
  childScope,
  entryId,
  idPrefix,
  LEASE_MS,
  openEntryOf,
  readMetadata,
  readScopesBy,
  scopeAtPath,
  scopePath,
  segmentsPrefix,
  splitId,
  type EntryId,
  type Scope,
} from './entry-names.ts'
import {
  assertReference,
  contentReference,
  isOpenReference,
  isReference,
  openReference,
  randomReference,
} from './reference.ts'
import {
  assertChunks,
  assertContent,
  assertKnownOptions,
  assertNewEntry,
  assertRange,
  onlyChunk,
  seenChunks,
  sourceChunks,
} from './storage-input.ts'
import type { CachedContent, CachedContents, ContentReader } from './opened-content.ts'
import type { DriverContent, EntryInfo, OpenEntry, CompleteDriver } from './storage-driver.ts'
import { checkAborted, guard, guardIteration, orAborted, StorageError } from './storage-error.ts'
import type {
  ByteRange,
  DeleteOptions,
  EntryState,
  EntryWriter,
  EvictionReport,
  GcReport,
  ListOptions,
  Location,
  ManagedStorageOptions,
  OmittedPart,
  OpenContent,
  OpenEntryOptions,
  OperationOptions,
  Storage,
  StoredContent,
  StoredInfo,
  StoredRange,
  StoreOptions,
} from './storage.ts'

const DEFAULT_CONTENT_TYPE = 'text/plain'
const MAX_KNOWN_CONTENT_TYPES = 10_000
const COLLECT_EVERY_MS = 60 * 60_000
const STORE_OPTIONS: readonly (keyof StoreOptions)[] = ['metadata', 'signal', 'transfer', 'onStored']

export class StorageState {
  readonly driver: CompleteDriver
  readonly options: ManagedStorageOptions
  readonly locks: KeyedLock = new KeyedLock()
  readonly lifetime: EntryLifetime
  /** Cache of opened contents. Absent until content is opened for the first time. */
  opened: CachedContents<EntryInfo> | undefined
  /** Content types of recent entries, because `locate` is synchronous. */
  readonly contentTypes: BoundedMap<EntryId, string> = new BoundedMap(MAX_KNOWN_CONTENT_TYPES)
  #collectedAt: number | undefined
  #collecting: Promise<unknown> | undefined

  constructor(driver: CompleteDriver, options: ManagedStorageOptions) {
    this.driver = driver
    this.options = options
    this.lifetime = new EntryLifetime(driver, this.locks, options, (id) => this.forget(id))
  }

  forget(id: EntryId): void {
    this.contentTypes.delete(id)
    this.opened?.remove(id)
  }

  removed(id: EntryId): void {
    this.lifetime.removed(id)
    this.forget(id)
  }

  /** Once an hour, removes data of killed writers. Live writers have renewed their data within the last hour. */
  stored(): void {
    const now = this.lifetime.now()
    const before = (this.#collectedAt ??= now)
    if (!this.driver.collectsHourly || Math.abs(now - before) < COLLECT_EVERY_MS) return
    this.#collectedAt = now
    // After a failure, leftovers are removed an hour later.
    this.#collecting = Promise.allSettled([this.driver.collect('', Math.min(before, now))])
  }

  async close(): Promise<void> {
    await this.#collecting
    this.opened?.clear()
    await guard({ action: 'close' }, () => this.driver.close())
  }
}

const loadOpenEntries = async () => import('./entry-writer.ts')

/** Imported at the first use and then kept, because an import takes longer than storing small content. */
let LineIndex: typeof LineIndexRecorder | undefined

interface NewEntry {
  readonly reference: string
  readonly asksFirst: boolean
  readonly key: string
  readonly contentType: string
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * A scope of a {@link ManagedStorage}. A reference can be used only in the scope that stored its content.
 *
 * @example
 * ```ts
 * import type { ScopedStorage } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage()
 * const session: ScopedStorage = storage.scope('tenant-1', 'session-1')
 * await session.store('call_1_0', new TextEncoder().encode('hello'))
 * console.assert((await session.clear()) === 1 && (await storage.clear()) === 0)
 * ```
 */
export class ScopedStorage implements Storage {
  static {
    readScopesBy((storage) => (#scope in storage ? storage.#scope : undefined))
  }

  readonly #state: StorageState
  readonly #scope: Scope
  /** Return the location at which a shell can read an entry. Absent if the driver has no locations. */
  readonly locate?: (reference: string) => Location | undefined

  /** @internal */
  constructor(state: StorageState, scope: Scope) {
    this.#state = state
    this.#scope = scope
    if (state.driver.locate !== undefined) this.locate = (reference) => this.#locate(reference)
  }

  scope(...segments: string[]): ScopedStorage {
    return new ScopedStorage(this.#state, childScope(this.#scope, segments))
  }

  /**
   * Return the nested scope of a listed entry, for example to read or remove the entry.
   *
   * @param path - {@link StoredInfo.scope}. Rejects with `invalid-key` for any other value.
   */
  async scopeAt(path: string): Promise<ScopedStorage> {
    return new ScopedStorage(this.#state, await scopeAtPath(this.#scope, path))
  }

  async store(
    key: string,
    content: Uint8Array,
    contentType: string = DEFAULT_CONTENT_TYPE,
    options: StoreOptions = {},
  ): Promise<string> {
    const { driver, lifetime } = this.#state
    assertKnownOptions(options, STORE_OPTIONS, 'store()')
    assertNewEntry(key, contentType, options.metadata)
    assertContent(content)
    lifetime.quota?.assertFits(key, content.byteLength)
    checkAborted(options.signal)
    const bytes = options.transfer === true ? content : copyBytes(content)
    const { segments: scope, caller } = this.#scope
    const reference = await contentReference({ scope, key, contentType, content: bytes, caller })
    const asksFirst = bytes.byteLength >= driver.touchFirstBytes
    return await this.#write({ reference, asksFirst, key, contentType, chunks: onlyChunk(bytes) }, options)
  }

  async storeStream(
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    contentType: string = DEFAULT_CONTENT_TYPE,
    options: StoreOptions = {},
  ): Promise<string> {
    assertKnownOptions(options, STORE_OPTIONS, 'storeStream()')
    assertNewEntry(key, contentType, options.metadata)
    assertChunks(chunks)
    checkAborted(options.signal)
    let size = 0
    const checked = sourceChunks(chunks, options.signal, (chunk) => {
      this.#state.lifetime.quota?.assertFits(key, (size += chunk.byteLength))
      return options.transfer === true ? chunk : copyBytes(chunk)
    })
    const reference = randomReference(key)
    return await this.#write({ reference, asksFirst: false, key, contentType, chunks: checked }, options)
  }

  async openEntry(
    key: string,
    contentType: string = DEFAULT_CONTENT_TYPE,
    options: OpenEntryOptions = {},
  ): Promise<EntryWriter> {
    const { driver, lifetime } = this.#state
    assertKnownOptions(options, ['metadata', 'maxBytes'], 'openEntry()')
    const { metadata, maxBytes = Infinity } = options
    assertNewEntry(key, contentType, metadata)
    const { assertOpenMaxBytes, OpenEntryWriter } = await loadOpenEntries()
    assertOpenMaxBytes(maxBytes)
    const reference = openReference(key)
    const writer = new OpenEntryWriter({
      driver,
      path: await scopePath(this.#scope),
      reference,
      key,
      contentType,
      metadata: { ...metadata },
      maxBytes: Math.min(maxBytes, lifetime.quota?.maxBytes ?? Infinity),
      now: lifetime.now,
      ended: (info) => this.#ended(reference, info),
    })
    await writer.start()
    return writer
  }

  async #ended(reference: string, info: EntryInfo): Promise<StoredInfo> {
    const id = await this.#id(reference)
    this.#used(id, info)
    await this.#state.lifetime.makeRoom(id, info.size)
    return this.#storedInfo(reference, info)
  }

  async #write({ reference, asksFirst, key, contentType, chunks }: NewEntry, options: StoreOptions): Promise<string> {
    const { driver, lifetime, locks, contentTypes } = this.#state
    const id = await this.#id(reference)
    let usedAt = lifetime.now()
    let size = 0
    let writing = false
    try {
      const created = await locks.run(id, () =>
        guard({ action: 'store', key }, async () => {
          const touched = asksFirst ? await driver.touch(id, usedAt) : undefined
          if (typeof touched === 'number') {
            usedAt = touched
            lifetime.used(id)
            return false
          }
          checkAborted(options.signal)
          lifetime.quota?.writing(id)
          writing = true
          LineIndex ??= (await import('@spillway/text/internal/lines')).LineIndexRecorder
          const lines = new LineIndex()
          const counted = seenChunks(chunks, this.#scope.caller, (chunk) => {
            size += chunk.byteLength
            lines.add(chunk)
          })
          const metadata = { ...options.metadata }
          const info = { key, contentType, storedAt: usedAt, lastUsedAt: usedAt, metadata }
          const written = await driver.write(id, counted, info, () => lines.encoded())
          usedAt = written.lastUsedAt
          lifetime.used(id)
          return written.created
        }),
      )
      contentTypes.set(id, contentType)
      this.#state.stored()
      // Do not evict while the entry is locked: two stores that evict each other's entry would deadlock.
      if (created) await lifetime.makeRoom(id, size)
      options.onStored?.({ reference, created, usedAt })
      return reference
    } finally {
      if (writing) lifetime.quota?.written(id)
    }
  }

  async retrieve(reference: string, options: OperationOptions = {}): Promise<StoredContent> {
    assertKnownOptions(options, ['signal'], 'retrieve()')
    const { content, info } = await orAborted(this.#read(reference, undefined, options), options.signal)
    return { content, contentType: info.contentType }
  }

  async retrieveRange(reference: string, range: ByteRange, options: OperationOptions = {}): Promise<StoredRange> {
    assertRange(range)
    assertKnownOptions(options, ['signal'], 'retrieveRange()')
    const { content, info } = await orAborted(this.#read(reference, range, options), options.signal)
    return { content, contentType: info.contentType, size: info.size }
  }

  async #read(reference: string, range: ByteRange | undefined, options: OperationOptions): Promise<DriverContent> {
    const id = await this.#existingId(reference, options)
    const found = await guard({ action: 'retrieve', reference }, () => this.#state.driver.read(id, range))
    const open = found === undefined ? await this.#openSegments(id) : undefined
    if (open !== undefined)
      return { content: await open.read(range ?? { offset: 0, length: open.info.size }), info: open.info }
    if (found === undefined || (await this.#state.lifetime.expire(id, found.info))) throw await this.#missing(id)
    const { content, info } = found
    const start = Math.min(range?.offset ?? 0, info.size)
    const expected = Math.min(range?.length ?? Infinity, info.size - start)
    if (content.byteLength !== expected)
      throw new StorageError(
        'corrupt',
        `The storage returned ${content.byteLength} bytes of ${reference} instead of ${expected}. Run the tool again.`,
        { reference },
      )
    await this.#countUse(id, info)
    return { content: plainBytes(content), info }
  }

  async open(reference: string, options: OperationOptions = {}): Promise<OpenContent> {
    assertKnownOptions(options, ['signal'], 'open()')
    return await orAborted(this.#open(reference, options), options.signal, (opened) => opened.close())
  }

  async #open(reference: string, options: OperationOptions): Promise<OpenContent> {
    const { openedContent, CachedContent, newContents } = await import('./opened-content.ts')
    const opened = (this.#state.opened ??= newContents(this.#state.driver.isInMemory))
    const { signal } = options
    const id = await this.#existingId(reference, options)
    const known = opened.find(id)
    if (known !== undefined && (await this.#isStillThere(id, known))) {
      this.#used(id, known.info)
      const reader = (): Promise<ContentReader> => this.#openEntry(id)
      return openedContent({ reference, content: known, signal, reader, ...endOf(known.info) })
    }
    if (known !== undefined) opened.remove(id)
    const { removals } = opened
    const reader = await this.#openEntry(id)
    if (reader.state !== undefined) {
      const { info, state, omitted, lineIndex } = reader
      const content = new CachedContent(info, 0, undefined, () => undefined)
      return openedContent({ reference, content, signal, reader, state, omitted, lineIndex })
    }
    try {
      const checkedAt = await this.#countUse(id, reader.info)
      const content = opened.add(id, reader.info, checkedAt, removals)
      return openedContent({ reference, content, signal, reader, ...endOf(reader.info) })
    } catch (error) {
      await Promise.allSettled([reader.close()])
      throw error
    }
  }

  async #openEntry(id: EntryId): Promise<ContentReader & Omit<OpenedEntry, 'read'>> {
    const { reference } = splitId(id)
    const ended = await guard({ action: 'retrieve', reference }, () => this.#state.driver.open(id))
    const entry: OpenedEntry | undefined = ended ?? (await this.#openSegments(id))
    if (entry === undefined) throw await this.#missing(id)
    try {
      if (ended !== undefined && (await this.#state.lifetime.expire(id, ended.info))) throw await this.#missing(id)
    } catch (error) {
      await Promise.allSettled([entry.close()])
      throw error
    }
    return {
      ...entry,
      read: (range, buffer) => guard({ action: 'retrieve', reference }, () => entry.read(range, buffer)),
      close: () => guard({ action: 'close' }, () => entry.close()),
    }
  }

  async #isStillThere(id: EntryId, content: CachedContent<EntryInfo>): Promise<boolean> {
    const { driver, lifetime } = this.#state
    const { info } = content
    if (lifetime.isExpired(info)) return false
    if (!this.#isStale(content.checkedAt)) return true
    const now = lifetime.now()
    const touched = await this.#touch(id, now)
    if (touched === null) {
      const found = await guard({ action: 'describe', reference: splitId(id).reference }, () => driver.stat(id))
      if (found === undefined || lifetime.isExpired(found)) return false
      content.checked(found, now)
    } else if (touched === undefined) return false
    else content.checked({ ...info, lastUsedAt: touched }, now)
    return true
  }

  #used(id: EntryId, { contentType }: EntryInfo): void {
    this.#state.lifetime.used(id)
    this.#state.contentTypes.set(id, contentType)
  }

  /** Records a use if necessary. Returns the last time at which the entry is known to exist, or 0 if it is missing. */
  async #countUse(id: EntryId, info: EntryInfo): Promise<number> {
    this.#used(id, info)
    const now = this.#state.lifetime.now()
    if (!this.#isStale(info.lastUsedAt)) return Math.min(now, info.lastUsedAt)
    return (await this.#touch(id, now)) === undefined ? 0 : now
  }

  /** Returns `undefined` if the entry is missing, and `null` if the backend cannot set a last use. */
  async #touch(id: EntryId, now: number): Promise<number | null | undefined> {
    const { reference } = splitId(id)
    try {
      return await guard({ action: 'refresh', reference }, () => this.#state.driver.touch(id, now))
    } catch (error) {
      // A storage that cannot be written, for example on a read-only disk, must still return its content.
      if (StorageError.isInstance(error) && error.code === 'unavailable') return null
      throw error
    }
  }

  #isStale(time: number): boolean {
    return this.#state.lifetime.isStale(time, this.#state.driver.refreshMs)
  }

  async stat(reference: string, options: OperationOptions = {}): Promise<StoredInfo> {
    assertKnownOptions(options, ['signal'], 'stat()')
    const { driver, lifetime, contentTypes } = this.#state
    const id = await this.#existingId(reference, options)
    const stat = guard({ action: 'describe', reference }, () => driver.stat(id))
    const info = await orAborted(stat, options.signal)
    const parts = info === undefined ? await this.#openParts(id) : undefined
    if (parts !== undefined) return this.#openInfo(reference, parts)
    if (info === undefined || (await lifetime.expire(id, info))) throw await this.#missing(id)
    contentTypes.set(id, info.contentType)
    return this.#storedInfo(reference, info)
  }

  async *list(options: ListOptions = {}): AsyncGenerator<StoredInfo> {
    const { driver, lifetime } = this.#state
    assertKnownOptions(options, ['below', 'except', 'signal'], 'list()')
    const { below, except, signal } = options
    checkAborted(signal)
    if (except !== undefined && typeof except.has !== 'function')
      throw new TypeError('except must be a Set of references.')
    const path = await scopePath(this.#scope)
    const prefix = idPrefix(path)
    let unended: UnendedEntries | undefined
    const isUnended = async (id: EntryId, info: EntryInfo): Promise<boolean> => {
      if (openEntryOf(id) === undefined) return false
      unended ??= new (await loadOpenEntries()).UnendedEntries()
      return unended.take(id, info)
    }
    const isExcepted = (id: EntryId): boolean => except?.has(splitId(id).reference) === true
    const { caller } = this.#scope
    const listing = { below, except: except && isExcepted }
    for await (const { id, info } of guardIteration({ action: 'list', caller }, () => driver.list(prefix, listing))) {
      checkAborted(signal)
      if (await isUnended(id, info)) continue
      const rest = id.slice(prefix.length)
      const { path: nested, reference } = splitId(rest)
      if (!id.startsWith(prefix) || !isReference(reference) || isExcepted(id)) continue
      if (lifetime.isExpired(info) || (below === false && rest !== reference)) continue
      yield inScope(nested, this.#storedInfo(reference, info))
    }
    if (below === false)
      for await (const { id, info } of guardIteration({ action: 'list', caller }, () =>
        driver.list(segmentsPrefix(path)),
      ))
        await isUnended(id, info)
    for (const { path: place, reference, parts } of unended?.all() ?? [])
      if (except?.has(reference) !== true && (below !== false || place === path))
        yield inScope(place.slice(prefix.length), this.#openInfo(reference, parts))
  }

  async delete(reference: string, options: DeleteOptions = {}): Promise<void> {
    const { driver, locks } = this.#state
    assertKnownOptions(options, ['unusedSince', 'signal'], 'delete()')
    const { unusedSince } = options
    const id = await this.#existingId(reference, options)
    await locks.run(id, () =>
      guard({ action: 'delete', reference }, async () => {
        const isGone = unusedSince === undefined ? await driver.remove(id) : await driver.evict(id, unusedSince)
        if (unusedSince !== undefined && !isGone) return
        if (!isGone && isOpenReference(reference))
          await (await loadOpenEntries()).removeOpenEntry(driver, splitId(id).path, reference)
        this.#state.removed(id)
      }),
    )
  }

  async clear(options: OperationOptions = {}): Promise<number> {
    assertKnownOptions(options, ['signal'], 'clear()')
    const { signal } = options
    checkAborted(signal)
    const prefix = idPrefix(await scopePath(this.#scope))
    let cleared = 0
    let isDone = false
    try {
      for await (const id of guardIteration({ action: 'clear', caller: this.#scope.caller }, () =>
        this.#state.driver.removeAll(prefix),
      )) {
        if (openEntryOf(id)?.isHead !== false) cleared += 1
        this.#state.removed(id)
        checkAborted(signal)
      }
      isDone = true
    } finally {
      // A driver may have removed more entries than it yielded, so all cached content is dropped.
      if (!isDone) this.#state.opened?.clear()
    }
    return cleared
  }

  async endTurn(): Promise<EvictionReport> {
    const path = await scopePath(this.#scope)
    return { evicted: await this.#state.lifetime.endTurn(path, () => this.list({ below: false })) }
  }

  async gc(options: OperationOptions = {}): Promise<GcReport> {
    assertKnownOptions(options, ['signal'], 'gc()')
    checkAborted(options.signal)
    const { driver, lifetime } = this.#state
    const prefix = idPrefix(await scopePath(this.#scope))
    const { expired, bytes } = await lifetime.collectExpired(prefix, options, (id) => this.#removeUnended(id))
    const collected = await guard({ action: 'collect' }, () => driver.collect(prefix, lifetime.now()))
    return { expired, leftovers: collected.leftovers, bytes: bytes + collected.bytes }
  }

  #removeUnended(id: EntryId): Promise<number | undefined> | undefined {
    const open = openEntryOf(id)
    if (open === undefined) return undefined
    const { path, reference, isHead } = open
    // Segments are removed only with their head, because a writer renews only the head.
    if (!isHead) return Promise.resolve(undefined)
    return guard({ action: 'evict', reference }, async () => {
      const { removeOpenEntry } = await loadOpenEntries()
      return (await removeOpenEntry(this.#state.driver, path, reference)) ?? 0
    })
  }

  #locate(reference: string): Location | undefined {
    assertReference(reference)
    const { driver, contentTypes } = this.#state
    if (this.#scope.path === undefined) return undefined
    const id = entryId(this.#scope.path, reference)
    const contentType = contentTypes.get(id)
    return contentType === undefined ? undefined : driver.locate?.(id, { contentType })
  }

  /** Does nothing, because the connection belongs to the whole storage. */
  async close(): Promise<void> {}

  async #id(reference: string): Promise<EntryId> {
    return entryId(await scopePath(this.#scope), reference)
  }

  async #existingId(reference: string, { signal }: OperationOptions): Promise<EntryId> {
    assertReference(reference)
    checkAborted(signal)
    return await this.#id(reference)
  }

  async #missing(id: EntryId): Promise<StorageError> {
    this.#state.forget(id)
    return this.#state.lifetime.missing(id)
  }

  async #openSegments(id: EntryId): Promise<OpenSegments | undefined> {
    const parts = await this.#openParts(id)
    if (parts === undefined) return undefined
    const { path, reference } = splitId(id)
    const { omitted } = parts
    const { openSegments } = await loadOpenEntries()
    return {
      ...openSegments(this.#state.driver, path, reference, parts),
      state: this.#openState(parts),
      ...(omitted && { omitted }),
    }
  }

  async #openParts(id: EntryId): Promise<OpenParts | undefined> {
    const { path, reference } = splitId(id)
    if (!isOpenReference(reference)) return undefined
    const { readOpenParts } = await loadOpenEntries()
    return await guard({ action: 'retrieve', reference }, () => readOpenParts(this.#state.driver, path, reference))
  }

  #openState({ head }: OpenParts): 'open' | 'lost' {
    return this.#state.lifetime.now() - head.lastUsedAt > LEASE_MS ? 'lost' : 'open'
  }

  #openInfo(reference: string, parts: OpenParts): StoredInfo {
    const { head, size, omitted } = parts
    const info = this.#storedInfo(reference, { ...head, size })
    return { ...info, state: this.#openState(parts), ...(omitted && { omitted }) }
  }

  #storedInfo(reference: string, info: EntryInfo): StoredInfo {
    const { key, contentType, size, storedAt, lastUsedAt } = info
    const known = { reference, key, contentType, size, storedAt, lastUsedAt, ...readMetadata(info.metadata) }
    const expiresAt = this.#state.lifetime.expiresAt(info)
    return expiresAt === undefined ? known : { ...known, expiresAt }
  }
}

const inScope = (scope: string, info: StoredInfo): StoredInfo => (scope === '' ? info : { ...info, scope })

type OpenedEntry = OpenEntry & Partial<OpenSegments>

function endOf({ metadata }: EntryInfo): { readonly state?: EntryState; readonly omitted?: OmittedPart } {
  const { state, omitted } = readMetadata(metadata)
  return { ...(state !== 'complete' && { state }), ...(omitted && { omitted }) }
}
