import {
  ManagedStorage,
  shellQuoted,
  type CollectReport,
  type DriverEntry,
  type EntryId,
  type StorageDriver,
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
 * `unavailable` and name the setting to fix. If an object was changed, operations reject with `corrupt`. For expiry by
 * age, see {@link putLifecycleRule}.
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
    super(s3Driver({ connection: new S3Connection(connection), ...driver }), managed)
  }
}

const DESCRIBED_AT_ONCE = 32
const MAX_PAGE_SIZE = 1_000
/** Matches references that core made. Names of other programs are unlikely to end with such a digest. */
const MINTED = /_[a-z2-7]{20}$/
/** An upload of this age is a leftover, because running writers add parts more often. */
const LEFTOVER_AGE_MS = 3_600_000

interface S3DriverOptions {
  readonly connection: S3Connection
  readonly prefix: string
  readonly partBytes: number
  readonly conditionalPut: boolean
  readonly pageSize?: number | undefined
}

/** Descriptions are in the metadata of an object. If they do not fit, they are in its sibling. */
export function s3Driver(options: S3DriverOptions): StorageDriver {
  const { connection, prefix, partBytes, conditionalPut, pageSize = MAX_PAGE_SIZE } = options
  const bucket = new S3Bucket(connection, pageSize)
  const uploads = new S3Uploads(connection)
  const names = new ObjectNames(prefix)
  const reader = new EntryReader(bucket, names)
  const writer = new EntryWriter({ bucket, uploads, names, reader, partBytes, conditionalPut })

  const remove = async (id: EntryId, { generation, hasSibling }: EntryGlance): Promise<true> => {
    await bucket.delete(names.entry(id))
    if (hasSibling) await bucket.delete(names.sibling(id, generation))
    return true
  }
  const idsOf = (page: readonly { readonly key: string }[]): EntryId[] =>
    page.map(({ key }) => names.idOf(key)).filter((id) => id !== undefined)

  /** Keeps the siblings of a writer that is alive, because the writer stores the entry later. */
  const collectSiblings = async (prefix: string, now: number): Promise<CollectReport> => {
    let leftovers = 0
    let bytes = 0
    for await (const page of bucket.list(names.siblings(prefix)))
      for (const { key, size, modifiedAt } of page) {
        const sibling = names.siblingOf(key)
        if (sibling === undefined || now - modifiedAt < LEFTOVER_AGE_MS) continue
        if ((await reader.glance(sibling.id))?.generation === sibling.generation) continue
        await bucket.delete(key)
        leftovers += 1
        bytes += size
      }
    return { leftovers, bytes }
  }

  return {
    tellsCreated: true,
    write: (id, chunks, info, lineIndex) => writer.write(id, chunks, info, lineIndex),
    read: (id, range) => reader.read(id, range),
    open: (id) => reader.open(id),
    stat: async (id) => (await reader.find(id))?.info,

    async remove(id) {
      const found = await reader.glance(id)
      return found !== undefined && (await remove(id, found))
    },

    // S3 cannot compare and delete in one step: an entry that is stored again in between is lost.
    async evict(id, unusedSince) {
      const found = await reader.glance(id)
      return found !== undefined && found.lastUsedAt <= unusedSince && (await remove(id, found))
    },

    async *list(prefix, { below, except } = {}) {
      const isWanted = (id: EntryId): boolean =>
        !(below === false && id.includes('/', prefix.length)) && except?.(id) !== true
      const describe = async (id: EntryId): Promise<DriverEntry | undefined> => {
        const found = await reader.find(id)
        return found && { id, info: found.info }
      }
      const ids = async function* (): AsyncGenerator<EntryId> {
        for await (const page of bucket.list(names.entries(prefix))) yield* idsOf(page).filter(isWanted)
      }
      for await (const entry of mapAhead(ids(), DESCRIBED_AT_ONCE, describe)) if (entry !== undefined) yield entry
    },

    async *removeAll(prefix) {
      const withSiblings = new Set<EntryId>()
      for await (const page of bucket.list(names.siblings(prefix)))
        for (const { key } of page) {
          const sibling = names.siblingOf(key)
          if (sibling !== undefined) withSiblings.add(sibling.id)
        }
      for await (const page of bucket.list(names.entries(prefix))) {
        // Most names identify an entry. Foreign names and entries with siblings must be checked.
        const [asked, known] = [new Set<EntryId>(), new Set<EntryId>()]
        for (const id of idsOf(page)) (withSiblings.has(id) || !MINTED.test(id) ? asked : known).add(id)
        const siblings: string[] = []
        const look = async (id: EntryId) => ({ id, generation: (await reader.glance(id))?.generation })
        for await (const { id, generation } of mapAhead(asked, DESCRIBED_AT_ONCE, look)) {
          if (generation === undefined) continue
          known.add(id)
          if (withSiblings.has(id)) siblings.push(names.sibling(id, generation))
        }
        const ids = [...known]
        await bucket.deleteMany(ids.map((id) => names.entry(id)))
        await bucket.deleteMany(siblings)
        yield* ids
      }
      // Failed writers may have left siblings, too.
      if (withSiblings.size > 0) await collectSiblings(prefix, Date.now())
    },

    async collect(prefix, now) {
      let leftovers = 0
      let bytes = 0
      for await (const upload of uploads.list(names.entries(prefix))) {
        if (names.idOf(upload.key) === undefined || now - upload.startedAt < LEFTOVER_AGE_MS) continue
        const progress = await uploads.progress(upload)
        if (progress === undefined || now - progress.latestAt < LEFTOVER_AGE_MS) continue
        await uploads.abort(upload)
        leftovers += 1
        bytes += progress.bytes
      }
      const siblings = await collectSiblings(prefix, now)
      return { leftovers: leftovers + siblings.leftovers, bytes: bytes + siblings.bytes }
    },

    locate(id) {
      const address = `s3://${connection.bucket}/${names.entry(id)}`
      const server = connection.endpoint === undefined ? '' : ` --endpoint-url ${shellQuoted(connection.endpoint)}`
      return { address, command: `aws s3 cp ${shellQuoted(address)} -${server}` }
    },

    close: async () => connection.close(),
  }
}
