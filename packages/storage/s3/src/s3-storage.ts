import {
  ManagedStorage,
  type ByteRange,
  type CollectReport,
  type DriverContent,
  type DriverEntry,
  type DriverListOptions,
  type EntryId,
  type EntryInfo,
  type Location,
  type NewEntryInfo,
  type OpenEntry,
  type StorageDriver,
  type WrittenEntry,
} from '@spillway/core/driver'
import { EntryReader, type EntryGlance } from './entry-reader.ts'
import { EntryWriter } from './entry-writer.ts'
import { ObjectNames } from './object-names.ts'
import { mapAhead, S3Bucket } from './s3-bucket.ts'
import { S3Connection } from './s3-connection.ts'
import { resolveOptions, type S3StorageOptions } from './s3-storage-options.ts'
import { S3Uploads } from './s3-uploads.ts'

/**
 * Store content in a bucket of S3 or a compatible server. Several processes can share it.
 *
 * The constructor does not send requests. If the server is down, throttles, or denies access, operations reject with
 * `unavailable` and name the setting to fix. If an object was changed, they reject with `corrupt`. For expiry by age,
 * see {@link putLifecycleRule}.
 *
 * @throws TypeError if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { S3Storage } from '@spillway/s3'
 *
 * const storage = new S3Storage('my-bucket', { prefix: 'agents/spillway', region: 'eu-central-1' })
 * const session = storage.scope('tenant-1', 'session-1')
 * console.assert(typeof session.store === 'function')
 * await storage.close()
 * ```
 */
export class S3Storage extends ManagedStorage {
  constructor(bucket: string, options?: S3StorageOptions)
  constructor(options: S3StorageOptions & { readonly bucket: string })
  constructor(bucket: string | S3StorageOptions, options: S3StorageOptions = {}) {
    const given = typeof bucket === 'string' ? { ...options, bucket } : bucket
    const { connection, managed, ...driver } = resolveOptions(given, 'S3Storage')
    super(new S3Driver({ connection: new S3Connection(connection), ...driver }), managed)
  }
}

const DESCRIBED_AT_ONCE = 32
const MAX_PAGE_SIZE = 1_000
/** Matches references that core made. Names of other programs are unlikely to end with such a digest. */
const MINTED = /_[a-z2-7]{20}$/

interface S3DriverOptions {
  readonly connection: S3Connection
  readonly prefix: string
  readonly partBytes: number
  readonly conditionalPut: boolean
  readonly pageSize?: number | undefined
}

/** Descriptions are in the metadata of an object. If they do not fit, they are in its sibling. */
export class S3Driver implements StorageDriver {
  readonly tellsCreated = true
  readonly #connection: S3Connection
  readonly #bucket: S3Bucket
  readonly #names: ObjectNames
  readonly #reader: EntryReader
  readonly #writer: EntryWriter
  readonly #collector: Collector

  constructor({ connection, prefix, partBytes, conditionalPut, pageSize = MAX_PAGE_SIZE }: S3DriverOptions) {
    const bucket = new S3Bucket(connection, pageSize)
    const uploads = new S3Uploads(connection)
    const names = new ObjectNames(prefix)
    const reader = new EntryReader(bucket, names)
    this.#connection = connection
    this.#bucket = bucket
    this.#names = names
    this.#reader = reader
    this.#writer = new EntryWriter({ bucket, uploads, names, reader, partBytes, conditionalPut })
    this.#collector = new Collector(bucket, uploads, names, reader)
  }

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined = () => undefined,
  ): Promise<WrittenEntry> {
    return this.#writer.write(id, chunks, info, lineIndex)
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

  async remove(id: EntryId): Promise<boolean> {
    const found = await this.#reader.glance(id)
    if (found !== undefined) await this.#delete(id, found)
    return found !== undefined
  }

  /** S3 cannot compare and delete in one step: an entry stored again in between is lost. */
  async evict(id: EntryId, unusedSince: number): Promise<boolean> {
    const found = await this.#reader.glance(id)
    if (found === undefined || found.lastUsedAt > unusedSince) return false
    await this.#delete(id, found)
    return true
  }

  async *list(prefix: string, { below, except }: DriverListOptions = {}): AsyncGenerator<DriverEntry> {
    const isWanted = (id: EntryId): boolean =>
      !(below === false && id.includes('/', prefix.length)) && except?.(id) !== true
    const describe = async (id: EntryId): Promise<DriverEntry | undefined> => {
      const found = await this.#reader.find(id)
      return found && { id, info: found.info }
    }
    for await (const entry of mapAhead(this.#ids(prefix, isWanted), DESCRIBED_AT_ONCE, describe))
      if (entry !== undefined) yield entry
  }

  async *removeAll(prefix: string): AsyncGenerator<EntryId> {
    const withSiblings = await this.#idsWithSiblings(prefix)
    for await (const page of this.#bucket.list(this.#names.entries(prefix))) {
      const listed = this.#idsOf(page)
      // Most names identify an entry. Foreign ones may not, and siblings need a closer look.
      const [asked, known] = [new Set<EntryId>(), new Set<EntryId>()]
      for (const id of listed) (withSiblings.has(id) || !MINTED.test(id) ? asked : known).add(id)
      const siblings: string[] = []
      for await (const { id, generation } of mapAhead(asked, DESCRIBED_AT_ONCE, (id) => this.#generationOf(id))) {
        if (generation === undefined) continue
        known.add(id)
        if (withSiblings.has(id)) siblings.push(this.#names.sibling(id, generation))
      }
      const ids = [...known]
      await this.#bucket.deleteMany(ids.map((id) => this.#names.entry(id)))
      await this.#bucket.deleteMany(siblings)
      yield* ids
    }
    // Failed writers leave keys and metadata too.
    if (withSiblings.size > 0) await this.#collector.collectSiblings(prefix, Date.now())
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    return this.#collector.collect(prefix, now)
  }

  locate(id: EntryId): Location {
    const { bucket, endpoint } = this.#connection
    const address = `s3://${bucket}/${this.#names.entry(id)}`
    const server = endpoint === undefined ? '' : ` --endpoint-url ${quoted(endpoint)}`
    return { address, command: `aws s3 cp ${quoted(address)} -${server}` }
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  async #delete(id: EntryId, { generation, hasSibling }: EntryGlance): Promise<void> {
    await this.#bucket.delete(this.#names.entry(id))
    if (hasSibling) await this.#bucket.delete(this.#names.sibling(id, generation))
  }

  async *#ids(prefix: string, isWanted: (id: EntryId) => boolean): AsyncGenerator<EntryId> {
    for await (const page of this.#bucket.list(this.#names.entries(prefix))) yield* this.#idsOf(page).filter(isWanted)
  }

  async #generationOf(id: EntryId): Promise<{ readonly id: EntryId; readonly generation: string | undefined }> {
    return { id, generation: (await this.#reader.glance(id))?.generation }
  }

  #idsOf(page: readonly { readonly key: string }[]): EntryId[] {
    return page.map(({ key }) => this.#names.idOf(key)).filter((id) => id !== undefined)
  }

  async #idsWithSiblings(prefix: string): Promise<ReadonlySet<EntryId>> {
    const ids = new Set<EntryId>()
    for await (const page of this.#bucket.list(this.#names.siblings(prefix)))
      for (const { key } of page) {
        const sibling = this.#names.siblingOf(key)
        if (sibling !== undefined) ids.add(sibling.id)
      }
    return ids
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Age from which an upload is a leftover, because living writers add parts more often. */
const LEFTOVER_AGE_MS = 3_600_000

class Collector {
  readonly #bucket: S3Bucket
  readonly #uploads: S3Uploads
  readonly #names: ObjectNames
  readonly #reader: EntryReader

  constructor(bucket: S3Bucket, uploads: S3Uploads, names: ObjectNames, reader: EntryReader) {
    this.#bucket = bucket
    this.#uploads = uploads
    this.#names = names
    this.#reader = reader
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    const reports = [await this.#collectUploads(prefix, now), await this.collectSiblings(prefix, now)]
    return {
      leftovers: reports.reduce((sum, { leftovers }) => sum + leftovers, 0),
      bytes: reports.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  }

  async #collectUploads(prefix: string, now: number): Promise<CollectReport> {
    let leftovers = 0
    let bytes = 0
    for await (const upload of this.#uploads.list(this.#names.entries(prefix))) {
      if (this.#names.idOf(upload.key) === undefined || now - upload.startedAt < LEFTOVER_AGE_MS) continue
      const progress = await this.#uploads.progress(upload)
      if (progress === undefined || now - progress.latestAt < LEFTOVER_AGE_MS) continue
      await this.#uploads.abort(upload)
      leftovers += 1
      bytes += progress.bytes
    }
    return { leftovers, bytes }
  }

  /** Siblings of living writers are kept, because their entry is written later. */
  async collectSiblings(prefix: string, now: number): Promise<CollectReport> {
    let leftovers = 0
    let bytes = 0
    for await (const page of this.#bucket.list(this.#names.siblings(prefix)))
      for (const { key, size, modifiedAt } of page) {
        const sibling = this.#names.siblingOf(key)
        if (sibling === undefined || now - modifiedAt < LEFTOVER_AGE_MS) continue
        if ((await this.#reader.glance(sibling.id))?.generation === sibling.generation) continue
        await this.#bucket.delete(key)
        leftovers += 1
        bytes += size
      }
    return { leftovers, bytes }
  }
}
