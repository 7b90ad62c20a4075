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
import { Collector } from './collector.ts'
import type { Connection } from './connection.ts'
import { EntryLister } from './entry-lister.ts'
import { EntryReader, serverEviction } from './entry-reader.ts'
import { EntryWriter } from './entry-writer.ts'
import { Keys, scriptKeys } from './keys.ts'
import { EVICT, FIND_EVICTION, TOUCH } from './scripts.ts'
import { Scopes } from './scopes.ts'

/** How long a writer may give no sign of life before what it has sent is removed. */
export const LEFTOVER_AGE_MS: number = 10 * 60_000

/** What {@link RedisDriver} needs. */
export interface RedisDriverOptions {
  readonly connection: Connection
  readonly prefix: string
  readonly chunkBytes: number
  readonly now: () => number
  /** Defaults to {@link LEFTOVER_AGE_MS}. */
  readonly leftoverAgeMs?: number | undefined
  /** How long an empty scope is still known after somebody wrote to it. Defaults to an hour. */
  readonly scopeAgeMs?: number | undefined
}

/** Keep entries in a Redis server or Cluster, atomically by scripts, all keys of a scope in one slot. */
export class RedisDriver implements StorageDriver {
  /** Sending less takes no longer than asking. */
  readonly touchFirstBytes: number = 128 * 1024
  readonly #connection: Connection
  readonly #keys: Keys
  readonly #scopes: Scopes
  readonly #reader: EntryReader
  readonly #writer: EntryWriter
  readonly #lister: EntryLister
  readonly #collector: Collector
  readonly #now: () => number

  constructor({
    connection,
    prefix,
    chunkBytes,
    now,
    leftoverAgeMs = LEFTOVER_AGE_MS,
    scopeAgeMs,
  }: RedisDriverOptions) {
    this.#connection = connection
    this.#now = now
    this.#keys = new Keys(prefix)
    this.#scopes = new Scopes(connection, this.#keys, scopeAgeMs)
    this.#reader = new EntryReader(connection, now)
    this.#writer = new EntryWriter(connection, chunkBytes, { pendingMs: leftoverAgeMs, now })
    this.#lister = new EntryLister(connection, this.#keys, this.#scopes, now)
    this.#collector = new Collector(connection, this.#keys, this.#scopes, leftoverAgeMs)
  }

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined = () => undefined,
  ): Promise<WrittenEntry> {
    const path = pathOf(id)
    await this.#scopes.enter(path)
    const { isFirst, ...written } = await this.#writer.write(this.#keys.place(id), chunks, info, lineIndex)
    // Writing may have taken so long that the scope was taken out meanwhile, for being empty.
    if (isFirst) await this.#scopes.add([path])
    return written
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    return this.#reader.read(this.#keys.place(id), range)
  }

  async open(id: EntryId): Promise<OpenEntry | undefined> {
    return this.#reader.open(this.#keys.place(id))
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    return this.#reader.stat(this.#keys.place(id))
  }

  async touch(id: EntryId, lastUsedAt: number): Promise<number | undefined> {
    const { tag, reference } = this.#keys.place(id)
    const usedAt = await this.#connection.script(TOUCH, scriptKeys(tag, [reference]), [reference, lastUsedAt])
    return usedAt === null ? undefined : Number(usedAt)
  }

  async remove(id: EntryId): Promise<boolean> {
    const { reference } = this.#keys.place(id)
    let removed = false
    for await (const _ of this.#lister.remove(pathOf(id), [reference])) removed = true
    return removed
  }

  list(prefix: string, { unusedSince }: DriverListOptions = {}): AsyncIterable<DriverEntry> {
    return this.#lister.list(prefix, unusedSince ?? Infinity)
  }

  removeAll(prefix: string): AsyncIterable<EntryId> {
    return this.#lister.removeAll(prefix)
  }

  async evict(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean> {
    const { tag, reference } = this.#keys.place(id)
    const kept = eviction === undefined ? '' : JSON.stringify(eviction)
    const args = [reference, unusedSince, eviction?.evictedAt ?? 0, kept]
    return Number(await this.#connection.script(EVICT, scriptKeys(tag, [reference]), args)) === 1
  }

  async findEviction(id: EntryId): Promise<Eviction | undefined> {
    const { tag, reference } = this.#keys.place(id)
    const now = this.#now()
    const args = [reference, now, JSON.stringify(serverEviction(now))]
    const kept = await this.#connection.script(FIND_EVICTION, scriptKeys(tag, [reference]), args)
    return Buffer.isBuffer(kept) ? decodeEviction(kept.toString()) : undefined
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    return this.#collector.collect(prefix, now)
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }
}

const pathOf = (id: EntryId): string => id.slice(0, Math.max(0, id.lastIndexOf('/')))

/** What a script has kept is what we gave it; should somebody have changed it, nothing is known of the entry. */
function decodeEviction(text: string): Eviction | undefined {
  try {
    const { reason, evictedAt, metadata } = JSON.parse(text) as Eviction
    return typeof evictedAt === 'number' && typeof metadata === 'object' ? { reason, evictedAt, metadata } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
