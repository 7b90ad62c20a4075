import {
  BoundedMap,
  copyBytes,
  KeyedLock,
  LINE_BLOCK_BYTES,
  LineIndexRecorder,
  plainBytes,
} from '@spillway/text/internal'
import { readInfo, type OpenEntry, type StorageDriver, type DriverContent, type EntryInfo } from './storage-driver.ts'
import {
  assertChunks,
  assertContent,
  assertContentType,
  assertKey,
  assertMetadata,
  assertRange,
  assertReference,
  contentReference,
  entryId,
  idPrefix,
  isOpenReference,
  isReference,
  onlyChunk,
  openReference,
  randomReference,
  scopePath,
  seenChunks,
  sourceChunks,
  splitId,
  type EntryId,
  type Scope,
} from './reference.ts'
import { checkAborted, guard, guardIteration, missingError, StorageError } from './storage-error.ts'
import { CachedContent, CachedContents, ContentCache, contentCache } from './cached-content.ts'
import {
  assertOpenMaxBytes,
  LEASE_MS,
  openEntryOf,
  OpenEntryWriter,
  type OpenParts,
  openSegments,
  type OpenSegments,
  readMetadata,
  readOpenParts,
  readSegments,
  removeOpenEntry,
  segmentsPrefix,
  UnendedEntries,
} from './entry-writer.ts'
import { EntryLifetime } from './entry-lifetime.ts'
import { OpenedContent, type ContentReader } from './opened-content.ts'
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
  StoredContent,
  StoredInfo,
  StoredRange,
  StoreOptions,
} from './storage.ts'

const DEFAULT_REFRESH_MS = 60_000
const MAX_KNOWN_CONTENT_TYPES = 10_000

/** What is to be written. */
interface NewEntry {
  readonly reference: string
  /** Whether the entry may be there already: then the driver is asked, or sees it when it writes. */
  readonly mayExist: 'ask' | 'see' | 'never'
  readonly key: string
  readonly contentType: string
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * Do for every backend what must be right once: references, walls between scopes, validation, idempotence, use, and the
 * mapping of failures to `StorageError`. How long entries stay is for {@link EntryLifetime}.
 */
export class StorageEngine {
  readonly driver: StorageDriver
  readonly #locks = new KeyedLock()
  readonly #lifetime: EntryLifetime
  /** What was opened lately. Content that a driver has in memory and gives as it is there is not remembered again. */
  readonly #opened: CachedContents<EntryInfo>
  /** Content types of recently used entries: what `locate`, which cannot wait, needs to know. */
  readonly #contentTypes = new BoundedMap<EntryId, string>(MAX_KNOWN_CONTENT_TYPES)

  constructor(driver: StorageDriver, options: ManagedStorageOptions) {
    this.driver = driver
    this.#lifetime = new EntryLifetime(driver, this.#locks, options, (id) => this.#forget(id))
    const isInMemory = driver.ephemeral === true && driver.open !== undefined && driver.computesContent !== true
    this.#opened = new CachedContents(isInMemory ? new ContentCache(0) : contentCache)
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
    this.#lifetime.assertFits(key, content.byteLength)
    checkAborted(options.signal)
    const bytes = options.transfer === true ? content : copyBytes(content)
    const reference = await contentReference({ scope: scope.segments, key, contentType, content: bytes })
    const mayExist = bytes.byteLength >= (this.driver.touchFirstBytes ?? 0) ? 'ask' : 'see'
    await this.#write(scope, { reference, mayExist, key, contentType, chunks: onlyChunk(bytes) }, options)
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
      this.#lifetime.assertFits(key, (size += chunk.byteLength))
      return options.transfer === true ? chunk : copyBytes(chunk)
    })
    // A random reference is nobody else's.
    await this.#write(scope, { reference, mayExist: 'never', key, contentType, chunks: checked }, options)
    return reference
  }

  async openEntry(
    scope: Scope,
    key: string,
    contentType: string,
    { metadata = {}, maxBytes = Infinity }: OpenEntryOptions,
  ): Promise<EntryWriter> {
    assertKey(key)
    assertContentType(contentType)
    assertMetadata(metadata)
    assertOpenMaxBytes(maxBytes)
    const path = await scopePath(scope)
    const reference = openReference(key)
    const writer = new OpenEntryWriter({
      driver: this.driver,
      path,
      reference,
      key,
      contentType,
      metadata: { ...metadata },
      maxBytes: Math.min(maxBytes, this.#lifetime.maxBytes),
      now: () => this.#lifetime.now(),
      ended: (info) => this.#ended(path, reference, info),
    })
    await writer.start()
    return writer
  }

  /** Count an entry whose writer has just ended it. */
  async #ended(path: string, reference: string, info: EntryInfo): Promise<StoredInfo> {
    const id = entryId(path, reference)
    this.#lifetime.stored(path, reference)
    this.#contentTypes.set(id, info.contentType)
    await this.#lifetime.makeRoom(path, id, info.size)
    return this.#storedInfo(reference, info)
  }

  async #write(
    scope: Scope,
    { reference, mayExist, key, contentType, chunks }: NewEntry,
    options: StoreOptions,
  ): Promise<void> {
    const path = await scopePath(scope)
    const id = entryId(path, reference)
    const metadata = { ...options.metadata }
    let usedAt = this.#lifetime.now()
    let size = 0
    let writing = false
    try {
      const created = await this.#locks.run(id, () =>
        guard({ action: 'store', key }, async () => {
          const touched = mayExist === 'ask' ? await this.driver.touch?.(id, usedAt) : undefined
          if (touched !== undefined) {
            usedAt = touched
            this.#lifetime.stored(path, reference)
            return false
          }
          checkAborted(options.signal)
          const { touch, tellsCreated } = this.driver
          const mustLook = touch === undefined && mayExist !== 'never' && tellsCreated !== true
          const present = mustLook ? await readInfo(this.driver, id) : undefined
          // Writing again is what such a driver has for touching, and each use must be told from the one before.
          if (present !== undefined) usedAt = Math.max(usedAt, present.lastUsedAt + 1)
          this.#lifetime.writing(id)
          writing = true
          const lines = new LineIndexRecorder()
          const counted = seenChunks(chunks, (chunk) => {
            size += chunk.byteLength
            lines.add(chunk)
          })
          const info = { key, contentType, storedAt: present?.storedAt ?? usedAt, lastUsedAt: usedAt, metadata }
          const written = await this.driver.write(id, counted, info, () => lines.encoded())
          const isNew = (typeof written === 'object' ? written.created : written) ?? present === undefined
          // Writing has touched what was there already; where it does not say when, touching once more does.
          if (typeof written === 'object') usedAt = written.lastUsedAt
          else if (!isNew) usedAt = (await this.driver.touch?.(id, usedAt)) ?? usedAt
          this.#lifetime.stored(path, reference)
          return isNew
        }),
      )
      this.#contentTypes.set(id, contentType)
      // Not while the entry is locked: two stores that evict each other's entry would wait for ever.
      if (created) await this.#lifetime.makeRoom(path, id, size)
      options.onStored?.({ reference, created, usedAt })
    } finally {
      if (writing) this.#lifetime.written(id)
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
    const open = found === undefined ? await this.#openSegments(path, reference) : undefined
    if (open !== undefined) return await readSegments(open, range)
    if (found === undefined || (await this.#lifetime.expire(path, reference, found.info)))
      throw await this.#missing(path, reference)
    const start = Math.min(range?.offset ?? 0, found.info.size)
    const expected = Math.min(range?.length ?? Infinity, found.info.size - start)
    if (found.content.byteLength !== expected)
      throw new StorageError(
        'corrupt',
        `${reference} came back with ${found.content.byteLength} bytes instead of ${expected}. Run the tool again.`,
        { reference },
      )
    await this.#countUse(path, reference, found.info)
    return { content: plainBytes(found.content), info: found.info }
  }

  async open(scope: Scope, reference: string, { signal }: OperationOptions): Promise<OpenContent> {
    assertReference(reference)
    checkAborted(signal)
    const path = await scopePath(scope)
    const id = entryId(path, reference)
    const known = this.#opened.find(id)
    if (known !== undefined && (await this.#isStillThere(id, reference, known))) {
      this.#lifetime.retrieved(path, reference)
      this.#contentTypes.set(id, known.info.contentType)
      const reader = (): Promise<ContentReader> => this.#reopen(path, reference)
      return new OpenedContent({ reference, content: known, signal, reader, ...endOf(known.info) })
    }
    if (known !== undefined) this.#opened.remove(id)
    const { removals } = this.#opened
    const entry = await this.#openEntry(path, reference)
    if (entry.state !== undefined) {
      const { state, omitted, lineIndex } = entry
      const content = new CachedContent(entry.info, 0, undefined, () => undefined)
      const reader = this.#guarded(entry, reference)
      return new OpenedContent({ reference, content, signal, reader, state, omitted, lineIndex })
    }
    try {
      const checkedAt = await this.#countUse(path, reference, entry.info)
      const content = this.#opened.add(id, entry.info, checkedAt, removals)
      return new OpenedContent({
        reference,
        content,
        signal,
        reader: this.#guarded(entry, reference),
        ...endOf(entry.info),
      })
    } catch (error) {
      await Promise.allSettled([entry.close()])
      throw error
    }
  }

  /** Open an entry that is there and has not expired. */
  async #openEntry(path: string, reference: string): Promise<OpenEntry & Partial<OpenSegments>> {
    const id = entryId(path, reference)
    const entry = await guard({ action: 'retrieve', reference }, () => openEntry(this.driver, id))
    if (entry === undefined) {
      const open = await this.#openSegments(path, reference)
      if (open === undefined) throw await this.#missing(path, reference)
      return open
    }
    try {
      if (await this.#lifetime.expire(path, reference, entry.info)) throw await this.#missing(path, reference)
      return entry
    } catch (error) {
      await Promise.allSettled([entry.close()])
      throw error
    }
  }

  /** Open what was opened before, for bytes of it that are not remembered. */
  async #reopen(path: string, reference: string): Promise<ContentReader> {
    return this.#guarded(await this.#openEntry(path, reference), reference)
  }

  #guarded(entry: OpenEntry, reference: string): ContentReader {
    return {
      read: (range, buffer) => guard({ action: 'retrieve', reference }, () => entry.read(range, buffer)),
      close: () => guard({ action: 'close' }, () => entry.close()),
    }
  }

  /** Whether an entry that is remembered still exists; the backend is asked where it has not been for a while. */
  async #isStillThere(id: EntryId, reference: string, content: CachedContent<EntryInfo>): Promise<boolean> {
    const { info } = content
    if (this.#lifetime.isExpired(info)) return false
    if (!this.#isStale(content.checkedAt)) return true
    const now = this.#lifetime.now()
    const touched = await this.#touch(id, reference, now)
    if (touched === 'unavailable') {
      const found = await guard({ action: 'describe', reference }, () => readInfo(this.driver, id))
      if (found === undefined || this.#lifetime.isExpired(found)) return false
      content.checked(found, now)
    } else if (touched === undefined) return false
    else content.checked({ ...info, lastUsedAt: touched }, now)
    return true
  }

  /** Note that an entry was retrieved; return until when it need not be noted again. */
  async #countUse(path: string, reference: string, info: EntryInfo): Promise<number> {
    const id = entryId(path, reference)
    this.#lifetime.retrieved(path, reference)
    this.#contentTypes.set(id, info.contentType)
    return await this.#refresh(id, reference, info)
  }

  /** Renew the last use of an entry where that is old; return until when the entry is known to be there. */
  async #refresh(id: EntryId, reference: string, info: EntryInfo): Promise<number> {
    const now = this.#lifetime.now()
    if (this.driver.touch === undefined) return now
    if (!this.#isStale(info.lastUsedAt)) return Math.min(now, info.lastUsedAt)
    return (await this.#touch(id, reference, now)) === undefined ? 0 : now
  }

  /** Set the last use of an entry: `undefined` where there is none, `unavailable` where that cannot be done. */
  async #touch(id: EntryId, reference: string, now: number): Promise<number | 'unavailable' | undefined> {
    if (this.driver.touch === undefined) return 'unavailable'
    try {
      return await guard({ action: 'refresh', reference }, async () => this.driver.touch?.(id, now))
    } catch (error) {
      // A storage that cannot be written, such as a read-only disk, must not withhold what it has.
      if (StorageError.isInstance(error) && error.code === 'unavailable') return 'unavailable'
      throw error
    }
  }

  #isStale(time: number): boolean {
    return this.#lifetime.isStale(time, this.driver.refreshMs ?? DEFAULT_REFRESH_MS)
  }

  async stat(scope: Scope, reference: string, options: OperationOptions): Promise<StoredInfo> {
    assertReference(reference)
    checkAborted(options.signal)
    const path = await scopePath(scope)
    const info = await guard({ action: 'describe', reference }, () => readInfo(this.driver, entryId(path, reference)))
    const parts = info === undefined ? await this.#openParts(path, reference) : undefined
    if (parts !== undefined) return this.#openInfo(reference, parts)
    if (info === undefined || (await this.#lifetime.expire(path, reference, info)))
      throw await this.#missing(path, reference)
    this.#contentTypes.set(entryId(path, reference), info.contentType)
    return this.#storedInfo(reference, info)
  }

  async *list(scope: Scope, options: ListOptions): AsyncGenerator<StoredInfo> {
    checkAborted(options.signal)
    const { below, except, signal } = options
    if (except !== undefined && typeof except.has !== 'function')
      throw new TypeError('except must be a Set of references.')
    const path = await scopePath(scope)
    const prefix = idPrefix(path)
    const isKnown = except && ((id: EntryId) => except.has(splitId(id).reference))
    const listing = { below, except: isKnown }
    const unended = new UnendedEntries()
    for await (const { id, info } of guardIteration({ action: 'list' }, () => this.driver.list(prefix, listing))) {
      checkAborted(signal)
      if (unended.take(id, info)) continue
      const rest = id.slice(prefix.length)
      const { reference } = splitId(rest)
      if (!id.startsWith(prefix) || !isReference(reference) || this.#lifetime.isExpired(info)) continue
      if (except?.has(reference) === true) continue
      if (below === false && rest !== reference) continue
      yield this.#storedInfo(reference, info)
    }
    if (below === false)
      for await (const { id, info } of guardIteration({ action: 'list' }, () => this.driver.list(segmentsPrefix(path))))
        unended.take(id, info)
    for (const { path: place, reference, parts } of unended.all())
      if (except?.has(reference) !== true && (below !== false || place === path)) yield this.#openInfo(reference, parts)
  }

  async delete(scope: Scope, reference: string, options: DeleteOptions): Promise<void> {
    assertReference(reference)
    checkAborted(options.signal)
    const path = await scopePath(scope)
    const id = entryId(path, reference)
    await this.#locks.run(id, () =>
      guard({ action: 'delete', reference }, async () => {
        const { unusedSince } = options
        const gone =
          unusedSince === undefined ? await this.driver.remove(id) : await this.#lifetime.removeUnused(id, unusedSince)
        if (unusedSince !== undefined && !gone) return
        if (!gone && isOpenReference(reference)) await removeOpenEntry(this.driver, path, reference)
        this.#removed(id)
      }),
    )
  }

  async clear(scope: Scope, options: OperationOptions): Promise<number> {
    checkAborted(options.signal)
    const prefix = idPrefix(await scopePath(scope))
    let cleared = 0
    let isDone = false
    try {
      for await (const id of guardIteration({ action: 'clear' }, () => this.#removeAll(prefix))) {
        const open = openEntryOf(id)
        if (open === undefined || open.isHead) cleared += 1
        this.#removed(id)
        checkAborted(options.signal)
      }
      isDone = true
    } finally {
      // A driver removes several at once before it names the first: what else has gone is not known then.
      if (!isDone) this.#opened.clear()
    }
    return cleared
  }

  #removeAll(prefix: string): AsyncIterable<EntryId> {
    return this.driver.removeAll?.(prefix) ?? this.#removeEach(prefix)
  }

  async *#removeEach(prefix: string): AsyncGenerator<EntryId> {
    for await (const { id } of this.driver.list(prefix)) {
      if (!id.startsWith(prefix)) continue
      if (await this.#locks.run(id, () => this.driver.remove(id))) yield id
      else this.#removed(id)
    }
  }

  #removed(id: EntryId): void {
    const { path, reference } = splitId(id)
    this.#lifetime.removed(path, reference)
    this.#forget(id)
  }

  async endTurn(scope: Scope): Promise<EvictionReport> {
    const path = await scopePath(scope)
    const evicted = await this.#lifetime.endTurn(path, () => this.list(scope, { below: false }))
    return { evicted }
  }

  async gc(scope: Scope, options: OperationOptions): Promise<GcReport> {
    checkAborted(options.signal)
    const prefix = idPrefix(await scopePath(scope))
    const { expired, bytes } = await this.#lifetime.collectExpired(prefix, options, (id) => this.#removeUnended(id))
    const collected = await guard({ action: 'collect' }, async () =>
      this.driver.collect?.(prefix, this.#lifetime.now()),
    )
    return { expired, leftovers: collected?.leftovers ?? 0, bytes: bytes + (collected?.bytes ?? 0) }
  }

  /** Remove an entry that has not ended, by the id of its head; `undefined` for an ordinary one. */
  #removeUnended(id: EntryId): Promise<number | undefined> | undefined {
    const open = openEntryOf(id)
    if (open === undefined) return undefined
    const { path, reference, isHead } = open
    // Its writer renews the head alone.
    if (!isHead) return Promise.resolve(undefined)
    return guard({ action: 'evict', reference }, async () => (await removeOpenEntry(this.driver, path, reference)) ?? 0)
  }

  locate(scope: Scope, reference: string): Location | undefined {
    assertReference(reference)
    if (scope.path === undefined) return undefined
    const id = entryId(scope.path, reference)
    const contentType = this.#contentTypes.get(id)
    return contentType === undefined ? undefined : this.driver.locate?.(id, { contentType })
  }

  async close(): Promise<void> {
    this.#opened.clear()
    await guard({ action: 'close' }, async () => this.driver.close?.())
  }

  async #missing(path: string, reference: string): Promise<StorageError> {
    this.#forget(entryId(path, reference))
    return this.#lifetime.missing(path, reference)
  }

  /** Forget what was known of an entry that is gone. */
  #forget(id: EntryId): void {
    this.#contentTypes.delete(id)
    this.#opened.remove(id)
  }

  /** Open what there is of an entry that has not ended. */
  async #openSegments(path: string, reference: string): Promise<OpenSegments | undefined> {
    const parts = await this.#openParts(path, reference)
    if (parts === undefined) return undefined
    const { omitted } = parts
    return {
      ...openSegments(this.driver, path, reference, parts),
      state: this.#openState(parts),
      ...(omitted && { omitted }),
    }
  }

  async #openParts(path: string, reference: string): Promise<OpenParts | undefined> {
    if (!isOpenReference(reference)) return undefined
    return await guard({ action: 'retrieve', reference }, () => readOpenParts(this.driver, path, reference))
  }

  #openState({ head }: OpenParts): 'open' | 'lost' {
    return this.#lifetime.now() - head.lastUsedAt > LEASE_MS ? 'lost' : 'open'
  }

  #openInfo(reference: string, parts: OpenParts): StoredInfo {
    const { head, size, omitted } = parts
    const info = this.#storedInfo(reference, { ...head, size })
    return { ...info, state: this.#openState(parts), ...(omitted && { omitted }) }
  }

  #storedInfo(reference: string, info: EntryInfo): StoredInfo {
    const { key, contentType, size, storedAt, lastUsedAt } = info
    const known = { reference, key, contentType, size, storedAt, lastUsedAt, ...readMetadata(info.metadata) }
    const expiresAt = this.#lifetime.expiresAt(info)
    return expiresAt === undefined ? known : { ...known, expiresAt }
  }
}

/** Tell how an entry ended, if not whole. */
function endOf({ metadata }: EntryInfo): { readonly state?: EntryState; readonly omitted?: OmittedPart } {
  const { state, omitted } = readMetadata(metadata)
  return { ...(state !== 'complete' && { state }), ...(omitted && { omitted }) }
}

/**
 * Open an entry of a driver; `undefined` where there is none.
 *
 * A driver that cannot is read range by range: the first read says what there is, and small content comes with it.
 */
export async function openEntry(driver: StorageDriver, id: EntryId): Promise<OpenEntry | undefined> {
  if (driver.open !== undefined) return await driver.open(id)
  const first = await driver.read(id, { offset: 0, length: LINE_BLOCK_BYTES })
  if (first === undefined) return undefined
  const { content, info } = first
  return {
    info,
    read: async ({ offset, length }) => {
      if (offset + length <= content.length) return content.subarray(offset, offset + length)
      const read = await driver.read(id, { offset, length })
      if (read === undefined) throw missingError(id.slice(id.lastIndexOf('/') + 1), undefined)
      return read.content
    },
    close: async () => undefined,
  }
}
