import type {
  ByteRange,
  CollectReport,
  DriverContent,
  DriverEntry,
  DriverListOptions,
  EntryId,
  EntryInfo,
  Location,
  NewEntryInfo,
  OpenEntry,
  StorageDriver,
  WrittenEntry,
} from '@spillway/core/driver'
import { Collector } from './collector.ts'
import { EntryReader, type EntryGlance } from './entry-reader.ts'
import { EntryWriter } from './entry-writer.ts'
import { mapAhead } from './map-ahead.ts'
import { ObjectNames } from './object-names.ts'
import { S3Bucket } from './s3-bucket.ts'
import type { S3Connection } from './s3-connection.ts'
import { S3Uploads } from './s3-uploads.ts'

/** How many entries are described at the same time while listing. */
const DESCRIBED_AT_ONCE = 32
const MAX_PAGE_SIZE = 1_000
/** The references that core makes: their digest is nothing that a name has by chance. */
const MINTED = /_[a-z2-7]{20}$/

/** What {@link S3Driver} needs. */
export interface S3DriverOptions {
  readonly connection: S3Connection
  /** What all names start with, without slashes at its ends; may be empty. */
  readonly prefix: string
  /** Bytes of the first parts of an upload. */
  readonly partBytes: number
  /** Whether the server knows `If-None-Match: *`. */
  readonly conditionalPut: boolean
  /** Objects of a page of a listing. Defaults to 1,000, which is the most. */
  readonly pageSize?: number | undefined
}

/** Keep each entry as an object with its description in the metadata, and in a sibling object what does not fit there. */
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

  /** S3 cannot compare and delete: whoever stores the entry again between the question and the deletion loses it. */
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
      // Of most entries the name says enough. What has another may be foreign; what has a sibling has to say which.
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
    // Those of writers that failed have keys and metadata too.
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
