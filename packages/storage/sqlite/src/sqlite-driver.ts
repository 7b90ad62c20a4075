import type {
  ByteRange,
  CollectReport,
  DriverContent,
  DriverEntry,
  DriverListOptions,
  EntryId,
  EntryInfo,
  Eviction,
  NewEntryInfo,
  OpenEntry,
  StorageDriver,
  WrittenEntry,
} from '@spillway/core/driver'
import { collect } from './collector.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { BATCH_BYTES, releaseContent, type LooseContent } from './contents.ts'
import {
  deleteEntry,
  entriesFrom,
  findEntry,
  idRange,
  idsFrom,
  leastUsedEntries,
  listed,
  rangeAfter,
  touchEntry,
  unusedEntriesFrom,
  type FoundEntry,
  type IdRange,
} from './entries.ts'
import { EntryReader } from './entry-reader.ts'
import { EntryWriter } from './entry-writer.ts'
import { purgeContent } from './purge-content.ts'
import type { Session } from './session.ts'
import { deleteTombstone, deleteTombstones, findTombstone, insertTombstone } from './tombstones.ts'

/** Entries of a listing that are fetched at a time. */
const PAGE = 500
/** Entries that are removed in one transaction, if they are small. */
const REMOVED_TOGETHER = 64

/** What {@link SqliteDriver} needs. */
export interface SqliteDriverOptions extends ConnectionOptions {
  readonly chunkBytes: number
}

/** Keep entries in tables of an SQLite database, which any number of processes share. */
export class SqliteDriver implements StorageDriver {
  /** What is written in one transaction finds out by itself whether it is there. */
  readonly touchFirstBytes: number = BATCH_BYTES
  readonly #connection: Connection
  readonly #reader: EntryReader
  readonly #chunkBytes: number

  constructor({ chunkBytes, ...options }: SqliteDriverOptions) {
    this.#connection = new Connection(options)
    this.#reader = new EntryReader(this.#connection)
    this.#chunkBytes = chunkBytes
  }

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined = () => undefined,
  ): Promise<WrittenEntry> {
    const writer = new EntryWriter({ connection: this.#connection, id, chunkBytes: this.#chunkBytes })
    return writer.write(chunks, info, lineIndex)
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    return this.#reader.read(id, range)
  }

  async open(id: EntryId): Promise<OpenEntry | undefined> {
    return this.#reader.open(id)
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    return (await this.#reader.find(id))?.info
  }

  async touch(id: EntryId, lastUsedAt: number): Promise<number | undefined> {
    if (this.#connection.isHeld) {
      // A store goes on to write, and waits there.
      if (!(await this.#reader.has(id))) return undefined
      // Retrieving does not wait until its owner is done with the database: it goes without renewing the last use.
      throw this.#connection.heldError()
    }
    return this.#connection.change((session) => touchEntry(session, id, lastUsedAt))
  }

  async remove(id: EntryId): Promise<boolean> {
    const removed = await this.#connection.change((session) => {
      deleteTombstone(session, id)
      return release(session, deleteEntry(session, id))
    })
    return this.#purge(removed)
  }

  async evict(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean> {
    const removed = await this.#connection.change((session) => {
      const released = release(session, deleteEntry(session, id, unusedSince))
      // On a full disk the pages that have become free are there for this.
      if (released !== undefined && eviction !== undefined) insertTombstone(session, id, eviction)
      return released
    })
    return this.#purge(removed)
  }

  async findEviction(id: EntryId): Promise<Eviction | undefined> {
    return this.#connection.read((session) => findTombstone(session, id))
  }

  async *list(prefix: string, { unusedSince, below, except }: DriverListOptions = {}): AsyncGenerator<DriverEntry> {
    if (unusedSince !== undefined && prefix !== '') return yield* this.#listUnused(prefix, unusedSince)
    if (unusedSince === undefined && except !== undefined)
      return yield* this.#listExcept(prefix, (id) => except(id) || (below === false && id.includes('/', prefix.length)))
    const whole = idRange(prefix)
    for (let last: FoundEntry | undefined; ;) {
      const range = last === undefined ? whole : rangeAfter(last.id, whole)
      // No statement stays open between two pages: it would keep the log from being written back.
      const page = await this.#connection.read((session) => {
        if (unusedSince === undefined) return entriesFrom(session, range, PAGE)
        return leastUsedEntries(session, last, unusedSince, PAGE)
      })
      for (const entry of page ?? []) yield listed(entry)
      last = page?.at(-1)
      if (last === undefined || page?.length !== PAGE) return
    }
  }

  async *#listExcept(prefix: string, except: (id: EntryId) => boolean): AsyncGenerator<DriverEntry> {
    for (let range: IdRange | undefined = idRange(prefix); range !== undefined;) {
      const from: IdRange = range
      const page = await this.#connection.read((session) => {
        const ids = idsFrom(session, from, PAGE)
        return { ids, entries: ids.flatMap((id) => (except(id) ? [] : (findEntry(session, id) ?? []))) }
      })
      for (const entry of page?.entries ?? []) yield listed(entry)
      const last = page?.ids.length === PAGE ? page.ids.at(-1) : undefined
      range = last === undefined ? undefined : rangeAfter(last, from)
    }
  }

  async *#listUnused(prefix: string, unusedSince: number): AsyncGenerator<DriverEntry> {
    for (let range: IdRange | undefined = idRange(prefix); range !== undefined;) {
      const from: IdRange = range
      const page = await this.#connection.read((session) => unusedEntriesFrom(session, from, unusedSince, PAGE))
      for (const entry of page?.entries ?? []) yield listed(entry)
      range = page?.left
    }
  }

  async *removeAll(prefix: string): AsyncGenerator<EntryId> {
    const range = idRange(prefix)
    for (;;) {
      const removed = (await this.#connection.change((session) => removeSome(session, range))) ?? []
      for (const one of removed) {
        await this.#purge(one)
        yield one.id
      }
      if (removed.length === 0) break
    }
    while ((await this.#connection.change((session) => deleteTombstones(session, range))) === true) continue
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    return collect(this.#connection, prefix, now)
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  /** Remove what is left of an entry that has gone, and return whether there was one. What is not done now is collected later. */
  async #purge(removed: RemovedEntry | undefined): Promise<boolean> {
    if (removed?.loose !== undefined) await Promise.allSettled([purgeContent(this.#connection, removed.loose)])
    return removed !== undefined
  }
}

/** An entry that has gone, and its content where that is loose and still to be purged. */
interface RemovedEntry {
  readonly id: EntryId
  readonly loose: LooseContent | undefined
}

function release(session: Session, entry: FoundEntry | undefined): RemovedEntry | undefined {
  if (entry === undefined) return undefined
  return { id: entry.id, loose: releaseContent(session, entry) }
}

/** Remove the first entries of a range: as many as take little time together. */
function removeSome(session: Session, range: IdRange): RemovedEntry[] {
  const removed: RemovedEntry[] = []
  let bytes = 0
  for (const { id, place } of entriesFrom(session, range, REMOVED_TOGETHER)) {
    if (bytes > 0 && bytes + place.size > BATCH_BYTES) break
    const gone = release(session, deleteEntry(session, id))
    if (gone !== undefined) removed.push(gone)
    bytes += place.size
  }
  return removed
}
