import {
  describeUnknown,
  removedError,
  splitId,
  StorageError,
  type ByteRange,
  type DriverContent,
  type EntryId,
  type EntryInfo,
  type OpenEntry,
} from '@spillway/core/driver'
import { decodeMetadata, decodeSibling, type ObjectNames, type SiblingContent } from './object-names.ts'
import type { ObjectHead, S3Bucket } from './s3-bucket.ts'

/** Number of bytes to read when an entry is opened: all of small content, and the start of large content. */
const FIRST_BYTES = 65_536
const MAX_ATTEMPTS = 5
const NO_BYTES = new Uint8Array(0)

export interface FoundEntry {
  readonly info: EntryInfo
  readonly generation: string
  readonly hasSibling: boolean
  readonly etag: string
  /** Whether `info` is the stored description. If not, `info` replaces a lost description. */
  readonly isDescribed: boolean
}

export interface EntryGlance {
  readonly generation: string
  readonly hasSibling: boolean
  readonly lastUsedAt: number
}

export class EntryReader {
  readonly #bucket: S3Bucket
  readonly #names: ObjectNames

  constructor(bucket: S3Bucket, names: ObjectNames) {
    this.#bucket = bucket
    this.#names = names
  }

  async find(id: EntryId): Promise<FoundEntry | undefined> {
    const head = await this.#bucket.head(this.#names.entry(id))
    return head && this.#describe(id, head, { lineIndex: true })
  }

  async glance(id: EntryId): Promise<EntryGlance | undefined> {
    return decodeMetadata((await this.#bucket.head(this.#names.entry(id)))?.metadata)
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    if (range?.length === 0) return this.#withoutBytes(id)
    const bytes = range && lastByte(range)
    const found = await this.#bucket.get(this.#names.entry(id), { bytes })
    if (found === 'beyond') return this.#withoutBytes(id)
    if (found === undefined || found === 'changed') return undefined
    const { info } = (await this.#describe(id, found.head, { lineIndex: false })) ?? {}
    return info && { content: found.content, info }
  }

  async open(id: EntryId): Promise<OpenEntry | undefined> {
    const found = await this.#bucket.get(this.#names.entry(id), { bytes: [0, FIRST_BYTES - 1] })
    if (found === undefined || found === 'changed') return undefined
    const entry = found === 'beyond' ? await this.find(id) : await this.#describe(id, found.head, { lineIndex: true })
    if (entry === undefined) return undefined
    const first = found === 'beyond' ? NO_BYTES : found.content
    let { etag } = entry
    return {
      info: entry.info,
      read: async (range, buffer) => {
        const { offset } = range
        const length = Math.max(0, Math.min(range.length, entry.info.size - offset))
        if (offset + length <= first.length) return first.subarray(offset, offset + length)
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
          const part = await this.#part(id, { offset, length }, etag, buffer)
          if (part !== 'changed') return part
          etag = await this.#sameEntry(id, entry)
        }
        throw new StorageError('unavailable', `Other processes keep storing ${id}. Try again.`)
      },
      close: async () => undefined,
    }
  }

  async #part(
    id: EntryId,
    range: ByteRange,
    etag: string,
    buffer: Uint8Array | undefined,
  ): Promise<Uint8Array | 'changed'> {
    if (range.length === 0) return NO_BYTES
    const found = await this.#bucket.get(this.#names.entry(id), { bytes: lastByte(range), etag, buffer })
    if (found === 'changed') return found
    if (found === undefined) throw removedError(splitId(id).reference)
    if (found === 'beyond' || found.content.length !== range.length) throw corrupt(id)
    return found.content
  }

  /** Returns the entity tag of the entry. Throws if the entry was removed or has other content. */
  async #sameEntry(id: EntryId, { info }: FoundEntry): Promise<string> {
    const found = await this.find(id)
    if (found === undefined) throw removedError(splitId(id).reference)
    const { size, contentType, key } = found.info
    if (size !== info.size || contentType !== info.contentType || key !== info.key) throw corrupt(id)
    return found.etag
  }

  async #withoutBytes(id: EntryId): Promise<DriverContent | undefined> {
    const found = await this.find(id)
    return found && { content: new Uint8Array(0), info: found.info }
  }

  async #describe(
    id: EntryId,
    head: ObjectHead,
    want: { readonly lineIndex: boolean },
  ): Promise<FoundEntry | undefined> {
    let latest: ObjectHead | undefined = head
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const metadata = decodeMetadata(latest.metadata)
      if (metadata === undefined) return undefined
      const { generation, hasSibling, lastUsedAt } = metadata
      const isNeeded = hasSibling && (metadata.description === undefined || want.lineIndex)
      const sibling = isNeeded ? await this.#sibling(id, generation) : undefined
      const description = metadata.description ?? sibling?.description
      // A writer that stores the entry again removes the old sibling, so read the head once more.
      if (description === undefined && attempt === 0) {
        latest = await this.#bucket.head(this.#names.entry(id))
        if (latest === undefined) return undefined
        continue
      }
      const size = metadata.size ?? sibling?.size ?? latest.size
      const lineIndex = metadata.lineIndex ?? sibling?.lineIndex
      // The content is valid even if its sibling is lost.
      const { contentType } = latest
      const unknown = { ...describeUnknown(lastUsedAt), ...(contentType !== undefined && { contentType }) }
      const known = description ?? unknown
      const info = { ...known, size, lastUsedAt, ...(lineIndex === undefined ? {} : { lineIndex }) }
      return { info, generation, hasSibling, etag: latest.etag, isDescribed: description !== undefined }
    }
    return undefined
  }

  async #sibling(id: EntryId, generation: string): Promise<SiblingContent | undefined> {
    const found = await this.#bucket.get(this.#names.sibling(id, generation))
    return found === undefined || typeof found === 'string' ? undefined : decodeSibling(found.content)
  }
}

const lastByte = ({ offset, length }: ByteRange): readonly [number, number] => [
  offset,
  Math.min(offset + length - 1, Number.MAX_SAFE_INTEGER),
]

function corrupt(id: EntryId): StorageError {
  const { reference } = splitId(id)
  return new StorageError('corrupt', `The object of ${reference} was changed. Run the tool again.`, { reference })
}
