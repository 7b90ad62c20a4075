import { BoundedMap, decodeBase64, encodeBase64 } from '@spillway/text/internal'
import { decodeDescription, encodeDescription } from '../../driver/entry-description.ts'
import {
  type CollectReport,
  type DriverContent,
  type DriverEntry,
  type DriverListOptions,
  type EntryInfo,
  type NewEntryInfo,
  type OpenEntry,
  type WrittenEntry,
  type CompleteDriver,
} from '../../storage/storage-driver.ts'
import { type EntryId } from '../../storage/reference.ts'
import { corruptError, StorageError, type Eviction } from '../../storage/storage-error.ts'
import type { ByteRange } from '../../storage/storage.ts'
import { WrappedDriver } from '../wrapped-driver.ts'
import type { KeyRing } from './key-ring.ts'
import {
  headerOfText,
  openText,
  sealContent,
  SealedContent,
  SealedNames,
  sealText,
  type SealedContentOptions,
  type SealedEntry,
} from './sealed-content.ts'
import { isSameHeader, SALT_BYTES, segmentStart, type SealedHeader, type SealedPurpose } from './sealed-segments.ts'

const SEALED_CONTENT_TYPE = 'application/octet-stream'
/** Name of the encrypted metadata in a tombstone. */
const SEALED_METADATA = 'spillway.sealed'
/** Number of entries to decrypt as a check of the name key. */
const MAX_NAMES_LOOKED_AT = 100
const MAX_REPAIRED = 1_000

interface Opened {
  readonly id: EntryId
  readonly info: EntryInfo
  readonly header: SealedHeader
}

type SealedSource = Pick<SealedContentOptions, 'read' | 'renew'>
/** A source without bytes, for callers that need only the size of the content. */
const NOTHING: SealedSource = { read: async () => new Uint8Array(0), renew: async () => undefined }

export class EncryptedDriver extends WrappedDriver {
  readonly #names: SealedNames
  readonly #keys: KeyRing
  /** Headers of content with the description of another writer, so that the difference is detected only once. */
  readonly #repaired = new BoundedMap<EntryId, { readonly described: SealedHeader; readonly header: SealedHeader }>(
    MAX_REPAIRED,
  )
  #areNamesChecked = false

  constructor(inner: CompleteDriver, keys: KeyRing) {
    super(inner, 'encrypted')
    this.#keys = keys
    this.#names = new SealedNames(keys)
  }

  protected override async innerId(id: EntryId): Promise<EntryId> {
    return await this.#names.innerId(id)
  }

  protected override async encode(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): Promise<WrittenEntry> {
    const inner = await this.innerId(id)
    const header = await this.#keys.header('content')
    const cipher = await this.#keys.cipher(inner, header)
    const description = { id, salt: encodeBase64(header.salt), description: encodeDescription(info) }
    const key = await sealText(this.#keys, inner, 'description', JSON.stringify(description))
    let sealedIndex: string | undefined
    const ended = async (): Promise<void> => {
      const index = lineIndex?.()
      if (index !== undefined) sealedIndex = await sealText(this.#keys, inner, 'line-index', index)
    }
    const { storedAt, lastUsedAt } = info
    return await this.inner.write(
      inner,
      sealContent(chunks, cipher, header, ended),
      { key, contentType: SEALED_CONTENT_TYPE, storedAt, lastUsedAt, metadata: {} },
      () => sealedIndex,
    )
  }

  protected override async decode(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    const inner = await this.innerId(id)
    const asked = range === undefined ? undefined : sealedRange(range, this.#keys.segmentBytes)
    const found = await this.inner.read(inner, asked)
    const opened = await this.#open(id, inner, found?.info)
    if (found === undefined || opened === undefined) return undefined
    const start = asked?.offset ?? 0
    let isStale = false
    const content = this.#content({ inner, asked: id }, found.info, opened.header, {
      read: async ({ offset, length }) => {
        const isHere = offset >= start && offset + length <= start + found.content.byteLength
        if (isHere && !isStale) return found.content.subarray(offset - start, offset - start + length)
        return (await this.inner.read(inner, { offset, length }))?.content ?? new Uint8Array(0)
      },
      // The whole was read at once, so it is consistent.
      renew: async () => void (isStale = asked !== undefined),
    })
    return { content: await content.read(range ?? { offset: 0, length: Math.max(1, content.size) }), info: opened.info }
  }

  protected override async describe(id: EntryId): Promise<EntryInfo | undefined> {
    const inner = await this.innerId(id)
    const info = await this.inner.stat(inner)
    if (!this.#names.isStandIn(id)) return (await this.#open(id, inner, info))?.info
    return info === undefined || (await this.#openIfSealed(inner, info)) !== undefined ? undefined : unknownInfo(info)
  }

  protected override async decodeOpen(id: EntryId): Promise<OpenEntry | undefined> {
    const inner = await this.innerId(id)
    const entry = await this.inner.open(inner)
    try {
      const opened = await this.#open(id, inner, entry?.info)
      if (entry !== undefined && opened !== undefined) {
        const source = new RenewedEntry(entry, () => this.inner.open(inner))
        const content = this.#content({ inner, asked: id }, entry.info, opened.header, source)
        return { info: opened.info, read: (range) => content.read(range), close: () => source.close() }
      }
    } catch (error) {
      await Promise.allSettled([entry?.close()])
      throw error
    }
    await entry?.close()
    return undefined
  }

  override async *list(prefix: string, { unusedSince }: DriverListOptions = {}): AsyncGenerator<DriverEntry> {
    const innerPrefix = await this.#names.innerPrefix(prefix)
    // The key and scope of an inner entry are only known after it is opened.
    for await (const { id: inner, info } of this.inner.list(innerPrefix, { unusedSince })) {
      const opened = await this.#openIfSealed(inner, info)
      // Damaged entries are listed too, so that they can be found and removed.
      if (opened === undefined)
        yield { id: this.#names.standIn(inner, { prefix, innerPrefix }), info: unknownInfo(info) }
      else if (opened.id.startsWith(prefix)) yield opened
    }
  }

  override async evict(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean> {
    const inner = await this.#names.innerId(id)
    if (eviction === undefined) return await this.inner.evict(inner, unusedSince)
    const sealed = await sealText(this.#keys, inner, 'eviction', JSON.stringify(eviction.metadata))
    return await this.inner.evict(inner, unusedSince, { ...eviction, metadata: { [SEALED_METADATA]: sealed } })
  }

  override async findEviction(id: EntryId): Promise<Eviction | undefined> {
    const inner = await this.innerId(id)
    const eviction = await this.inner.findEviction(inner)
    if (eviction === undefined) return undefined
    // An eviction is reported even if its metadata cannot be opened. Unsealed metadata is dropped: it is not trusted,
    // and would reach a model.
    const metadata = await this.#openHint({ inner, asked: id }, 'eviction', eviction.metadata[SEALED_METADATA])
    return { ...eviction, metadata: metadata === undefined ? {} : (JSON.parse(metadata) as Eviction['metadata']) }
  }

  override async *removeAll(prefix: string): AsyncGenerator<EntryId> {
    const innerPrefix = await this.#names.innerPrefix(prefix)
    for await (const inner of this.inner.removeAll(innerPrefix))
      yield this.#names.outerId(inner, { prefix, innerPrefix })
  }

  override async collect(prefix: string, now: number): Promise<CollectReport> {
    return await this.inner.collect(await this.#names.innerPrefix(prefix), now)
  }

  #content(entry: SealedEntry, { size }: EntryInfo, described: SealedHeader, source: SealedSource): SealedContent {
    const known = this.#repaired.get(entry.inner)
    const header = known !== undefined && isSameHeader(known.described, described) ? known.header : described
    return new SealedContent({
      keys: this.#keys,
      entry,
      sealedBytes: size,
      header,
      read: (range) => source.read(range),
      renew: () => source.renew(),
      repaired: (found) => this.#repaired.set(entry.inner, { described, header: found }),
    })
  }

  /** Decrypt the description of an entry. Rejects with `corrupt` if that fails. */
  async #open(id: EntryId, inner: EntryId, info: EntryInfo | undefined): Promise<Opened | undefined> {
    if (info === undefined) {
      await this.#checkNames(id)
      return undefined
    }
    const opened = await this.#opened({ inner, asked: id }, info)
    return opened.id === id ? opened : undefined
  }

  /** Decrypt a description. Returns `undefined` if it is damaged, not encrypted, or of an unknown key. */
  async #openIfSealed(inner: EntryId, info: EntryInfo): Promise<Opened | undefined> {
    try {
      return await this.#opened({ inner, asked: inner }, info)
    } catch (error) {
      if (StorageError.isInstance(error) && error.code === 'corrupt') return undefined
      throw error
    }
  }

  async #opened(entry: SealedEntry, info: EntryInfo): Promise<Opened> {
    const text = await openText(this.#keys, entry, 'description', info.key)
    const { id, salt, description } = JSON.parse(text) as Readonly<Record<string, string>>
    const described = decodeDescription(description ?? '')
    const bytes = decodeBase64(salt ?? '')
    const noted = headerOfText(info.key)
    if (id === undefined || described === undefined || bytes?.byteLength !== SALT_BYTES || noted === undefined)
      throw corruptError(entry.asked, 'its description was sealed by a later version. Update @spillway/core.')
    const header: SealedHeader = { ...noted, purpose: 'content', salt: bytes }
    const { size } = this.#content(entry, info, header, NOTHING)
    const lineIndex = await this.#openHint(entry, 'line-index', info.lineIndex)
    const plain = { ...described, size, lastUsedAt: info.lastUsedAt, ...(lineIndex === undefined ? {} : { lineIndex }) }
    this.#names.learn(entry.inner, id)
    return { id, info: plain, header }
  }

  /** Decrypt optional data. Returns `undefined` if the data is missing or cannot be decrypted. */
  async #openHint(entry: SealedEntry, purpose: SealedPurpose, sealed: string | undefined): Promise<string | undefined> {
    if (sealed === undefined) return undefined
    try {
      return await openText(this.#keys, entry, purpose, sealed)
    } catch (error) {
      if (StorageError.isInstance(error) && error.code === 'corrupt') return undefined
      throw error
    }
  }

  /** If an entry is not found, explain a wrong name key. Checked at each missing entry until it succeeds once. */
  async #checkNames(id: EntryId): Promise<void> {
    if (this.#areNamesChecked) return
    let looked = 0
    for await (const { info } of this.inner.list('')) {
      const header = headerOfText(info.key)
      if (header !== undefined && !(await this.#keys.isNameKey(header)))
        throw corruptError(
          id,
          `names in this storage were made with another key for names: entries there were sealed with the key "${header.keyId}". ` +
            'Configure the key that the first entries were stored with: as nameKey where keys rotate, else as key.',
        )
      if ((looked += 1) === MAX_NAMES_LOOKED_AT) break
    }
    this.#areNamesChecked = true
  }
}

const unknownInfo = ({ size, storedAt, lastUsedAt }: EntryInfo): EntryInfo => ({
  key: '',
  contentType: SEALED_CONTENT_TYPE,
  size,
  storedAt,
  lastUsedAt,
  metadata: {},
})

/** Return the encrypted bytes of a range of content of unknown size. A range from 0 includes the header. */
function sealedRange({ offset, length }: ByteRange, segmentBytes: number): ByteRange {
  if (length === 0) return { offset: 0, length: 0 }
  const first = Math.floor(offset / segmentBytes)
  const start = first === 0 ? 0 : segmentStart(first, segmentBytes)
  const end = segmentStart(Math.ceil((offset + length) / segmentBytes), segmentBytes)
  if (start >= Number.MAX_SAFE_INTEGER) return { offset: Number.MAX_SAFE_INTEGER, length: 1 }
  return { offset: start, length: Math.min(Number.MAX_SAFE_INTEGER, end) - start }
}

interface Held {
  readonly entry: OpenEntry
  reads: number
}

/** Opens an entry again if its content was stored again: the open one may have cached parts of the old content. */
class RenewedEntry {
  readonly #open: () => Promise<OpenEntry | undefined>
  #held: Held

  constructor(entry: OpenEntry, open: () => Promise<OpenEntry | undefined>) {
    this.#held = { entry, reads: 0 }
    this.#open = open
  }

  async read(range: ByteRange): Promise<Uint8Array> {
    const held = this.#held
    held.reads += 1
    try {
      return await held.entry.read(range)
    } finally {
      held.reads -= 1
      await this.#closeIfDone(held)
    }
  }

  /** Open the entry again. If the entry was removed in the meantime, the old one stays open. */
  async renew(): Promise<void> {
    const entry = await this.#open()
    if (entry === undefined) return
    const before = this.#held
    this.#held = { entry, reads: 0 }
    await this.#closeIfDone(before)
  }

  /** Called once, when no read is pending. */
  async close(): Promise<void> {
    await this.#held.entry.close()
  }

  async #closeIfDone(held: Held): Promise<void> {
    // Errors of closing are irrelevant here.
    if (held !== this.#held && held.reads === 0) await Promise.allSettled([held.entry.close()])
  }
}
