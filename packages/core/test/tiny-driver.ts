import { concatBytes } from '../src/driver/index.ts'
import type {
  ByteRange,
  CollectReport,
  DriverContent,
  DriverEntry,
  EntryId,
  EntryInfo,
  Eviction,
  Location,
  NewEntryInfo,
  StorageDriver,
} from '../src/index.ts'

/** Largest number of tombstones on a tiny disk. */
export const TINY_MAX_TOMBSTONES = 100
const ABANDONED_MS = 86_400_000

/** An entry on a tiny disk. */
export interface TinyRecord {
  content: Uint8Array
  info: EntryInfo
}

/** The data that outlives a driver, like a disk. */
export class TinyDisk {
  records = new Map<EntryId, TinyRecord>()
  /** Entries that writers have not committed yet. */
  readonly unfinished = new Map<string, { readonly since: number; bytes: number }>()
  readonly tombstones = new Map<EntryId, Eviction>()
  /** Foreign content that a careless driver could be led to. */
  readonly links = new Map<EntryId, Uint8Array>()
  isDown = false
  writes = 0
  readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }
}

/** A small driver with all methods: a map that answers asynchronously. */
export class TinyDriver implements StorageDriver {
  readonly refreshMs: number = 0
  readonly disk: TinyDisk

  constructor(disk: TinyDisk) {
    this.disk = disk
  }

  /** Answer a little later, or not at all. */
  async reach(): Promise<void> {
    await Promise.resolve()
    if (this.disk.isDown) throw new Error('the disk is down')
  }

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): Promise<boolean> {
    await this.reach()
    const unfinished = { since: this.disk.now(), bytes: 0 }
    const name = `unfinished-${(this.disk.writes += 1)}`
    this.disk.unfinished.set(name, unfinished)
    try {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) {
        parts.push(chunk)
        unfinished.bytes += chunk.byteLength
      }
      await this.reach()
      const index = lineIndex?.()
      return this.commit(id, concatBytes(parts), index === undefined ? info : { ...info, lineIndex: index })
    } finally {
      this.disk.unfinished.delete(name)
    }
  }

  /** Make an entry visible, at once and as a whole. */
  commit(id: EntryId, content: Uint8Array, info: NewEntryInfo): boolean {
    if (this.use(id, info.lastUsedAt) !== undefined) return false
    this.disk.tombstones.delete(id)
    this.disk.records.set(id, { content, info: { ...info, size: content.byteLength } })
    return true
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    await this.reach()
    const record = this.disk.records.get(id)
    if (record === undefined) return undefined
    const { offset, length } = range ?? { offset: 0, length: Infinity }
    return { content: new Uint8Array(record.content.subarray(offset, offset + length)), info: record.info }
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    await this.reach()
    return this.disk.records.get(id)?.info
  }

  async touch(id: EntryId, lastUsedAt: number): Promise<number | undefined> {
    await this.reach()
    return this.use(id, lastUsedAt)
  }

  /** Set the last use of an entry, at once. */
  use(id: EntryId, lastUsedAt: number): number | undefined {
    const record = this.disk.records.get(id)
    if (record === undefined) return undefined
    record.info = { ...record.info, lastUsedAt: Math.max(lastUsedAt, record.info.lastUsedAt + 1) }
    return record.info.lastUsedAt
  }

  async remove(id: EntryId): Promise<boolean> {
    await this.reach()
    return this.disk.records.delete(id)
  }

  async evict(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean> {
    await this.reach()
    const record = this.disk.records.get(id)
    if (record === undefined || record.info.lastUsedAt > unusedSince) return false
    this.disk.records.delete(id)
    if (eviction !== undefined) this.bury(id, eviction)
    return true
  }

  /** Remember an evicted entry. */
  bury(id: EntryId, eviction: Eviction): void {
    this.disk.tombstones.set(id, eviction)
    const [oldest] = this.disk.tombstones.keys()
    if (this.disk.tombstones.size > TINY_MAX_TOMBSTONES && oldest !== undefined) this.disk.tombstones.delete(oldest)
  }

  async findEviction(id: EntryId): Promise<Eviction | undefined> {
    await this.reach()
    return this.disk.tombstones.get(id)
  }

  async *list(prefix: string): AsyncGenerator<DriverEntry> {
    await this.reach()
    for (const [id, { info }] of this.disk.records) if (id.startsWith(prefix)) yield { id, info }
  }

  async collect(_prefix: string, now: number): Promise<CollectReport> {
    await this.reach()
    const report = { leftovers: 0, bytes: 0 }
    for (const [name, { since, bytes }] of this.disk.unfinished) {
      if (now - since < ABANDONED_MS) continue
      this.disk.unfinished.delete(name)
      report.leftovers += 1
      report.bytes += bytes
    }
    return report
  }

  locate(id: EntryId, _info: Pick<EntryInfo, 'contentType'>): Location | undefined {
    return { address: `tiny:${id}`, command: `tiny '${id}'` }
  }

  async close(): Promise<void> {
    await Promise.resolve()
  }
}
