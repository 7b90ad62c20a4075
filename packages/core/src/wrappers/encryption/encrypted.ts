import { BoundedMap, decodeBase64, encodeBase64 } from '@spillway/text/internal'
import { decodeDescription, encodeDescription } from '../../driver/entry-description.ts'
import type { CompleteDriver, EntryInfo, OpenEntry } from '../../storage/storage-driver.ts'
import type { EntryId } from '../../storage/entry-names.ts'
import { corruptError, unlessFailed, type Eviction } from '../../storage/storage-error.ts'
import type { ByteRange } from '../../storage/storage.ts'
import { wrappedDriver } from '../wrapped-driver.ts'
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
import { assertKnownOptions } from '../../storage/storage-input.ts'
import { wrapStorage, type ManagedStorage } from '../../storage/managed-storage.ts'
import {
  KeyRing,
  parseKey,
  parseNamedKey,
  type EncryptionKey,
  type FindKey,
  type KeyRingOptions,
  type NamedEncryptionKey,
  type ParsedKey,
} from './key-ring.ts'

const NAMES: readonly string[] = ['key', 'keys', 'nameKey'] satisfies (keyof EncryptedOptions)[]
const NAMES_OF_KEYS: readonly string[] = ['current', 'previous'] satisfies (keyof RotatingKeys)[]

/** The keys of a storage with key rotation. */
export interface RotatingKeys {
  /** Key for new content. */
  readonly current: EncryptionKey | NamedEncryptionKey
  /**
   * Keys of older content: a list, or a function that returns a key by the id stored with the content. Returned keys
   * are cached. If the function finds no key or fails, it is called again the next time.
   */
  readonly previous?: readonly (EncryptionKey | NamedEncryptionKey)[] | FindKey | undefined
}

/** Options of {@link encrypted}: pass `key`, or `keys` and `nameKey`. */
export interface EncryptedOptions {
  /** A single key for content and names: 32 random bytes, as bytes, 64 hexadecimal digits, or base64. */
  readonly key?: EncryptionKey | NamedEncryptionKey | undefined
  /** Keys of a storage with key rotation. Requires `nameKey`. */
  readonly keys?: RotatingKeys | undefined
  /** Key from which names are derived. This key must never change: pass the first `key`. Defaults to `key`. */
  readonly nameKey?: EncryptionKey | undefined
}

/**
 * Encrypt a storage with AES-256-GCM: content in segments of 64 KiB, and keys, content types and metadata. Names of
 * entries and scopes become keyed digests.
 *
 * Content is `corrupt` if it was changed, cut or replaced, or was encrypted with an unknown key. The backend still
 * reveals sizes, times, and the number of entries of each scope.
 *
 * Settings, references and scopes are the same as in `storage`. Entries that were stored unencrypted are not found.
 * `locate` is missing, because a shell would read encrypted bytes. Closing the result closes `storage`. Do not use
 * `storage` directly. One storage has one `nameKey`.
 *
 * To compress, too, write `compressed(encrypted(storage, { key }))`. Content is then compressed before it is encrypted.
 *
 * @param storage - A storage of a Spillway backend or `createStorage` that is not compressed.
 * @throws TypeError for other storages, scopes, wrapped storages, and invalid keys.
 * @example
 * ```ts
 * import { encrypted } from '@spillway/core/wrappers'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const key = crypto.getRandomValues(new Uint8Array(32)) // from your secret store: `openssl rand -base64 32` makes one
 * const storage = encrypted(new InMemoryStorage(), { key })
 * const reference = await storage.scope('tenant-1').store('call_1_0', new TextEncoder().encode('secret'))
 * const { content } = await storage.scope('tenant-1').retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'secret')
 * ```
 */
export function encrypted(storage: ManagedStorage, options: EncryptedOptions): ManagedStorage {
  const keys = new KeyRing(keyRingOptions(options))
  return wrapStorage(storage, 'encrypted', (driver) => encryptedDriver(driver, keys))
}

function keyRingOptions(options: EncryptedOptions): KeyRingOptions {
  assertKnownOptions(options, NAMES, 'encrypted()')
  const { key, keys, nameKey } = options
  if ((key === undefined) === (keys === undefined))
    throw new TypeError('encrypted() needs either key, or keys and nameKey if the key has changed.')
  if (keys === undefined) {
    const current = parseNamedKey(key, 'key')
    return { current, previous: [], nameSecret: nameKey === undefined ? current.secret : parseKey(nameKey, 'nameKey') }
  }
  assertKnownOptions(keys, NAMES_OF_KEYS, 'keys')
  if (nameKey === undefined)
    throw new TypeError(
      'keys needs nameKey: names in the backend are derived from it, and another key finds no entries. ' +
        'Pass the first key that the storage had, and keep it when keys change.',
    )
  const current = parseNamedKey(keys.current, 'keys.current')
  return { current, ...previousKeys(keys.previous, current), nameSecret: parseKey(nameKey, 'nameKey') }
}

function previousKeys(
  previous: RotatingKeys['previous'] = [],
  current: ParsedKey,
): Pick<KeyRingOptions, 'previous' | 'findKey'> {
  if (typeof previous === 'function') return { previous: [], findKey: previous }
  if (!Array.isArray(previous))
    throw new TypeError('keys.previous must be a list of keys, or a function that finds a key by its id.')
  const parsed = previous.map((key: unknown, index) => parseNamedKey(key, `keys.previous[${index}]`))
  const ids = [current, ...parsed].flatMap(({ id }) => id ?? [])
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new TypeError(`Two keys have the id "${twice}". Give each key its own id.`)
  return { previous: parsed }
}

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

export function encryptedDriver(inner: CompleteDriver, keys: KeyRing): CompleteDriver {
  const names = new SealedNames(keys)
  /** Headers of content whose description is from another writer, so that each difference is detected only once. */
  const repaired = new BoundedMap<EntryId, { readonly described: SealedHeader; readonly header: SealedHeader }>(
    MAX_REPAIRED,
  )
  let areNamesChecked = false

  const contentOf = (
    entry: SealedEntry,
    { size }: EntryInfo,
    described: SealedHeader,
    { read, renew }: SealedSource,
  ): SealedContent => {
    const known = repaired.get(entry.inner)
    const header = known !== undefined && isSameHeader(known.described, described) ? known.header : described
    const onRepair = (found: SealedHeader): void => repaired.set(entry.inner, { described, header: found })
    return new SealedContent({ keys, entry, sealedBytes: size, header, read, renew, repaired: onRepair })
  }

  /** Decrypt optional data. Returns `undefined` if the data is missing or cannot be decrypted. */
  const openHint = async (
    entry: SealedEntry,
    purpose: SealedPurpose,
    sealed: string | undefined,
  ): Promise<string | undefined> =>
    sealed === undefined ? undefined : await unlessFailed(openText(keys, entry, purpose, sealed), 'corrupt')

  const openSealed = async (entry: SealedEntry, info: EntryInfo): Promise<Opened> => {
    const text = await openText(keys, entry, 'description', info.key)
    const { id, salt, description } = JSON.parse(text) as Readonly<Record<string, string>>
    const described = decodeDescription(description ?? '')
    const bytes = decodeBase64(salt ?? '')
    const noted = headerOfText(info.key)
    if (id === undefined || described === undefined || bytes?.byteLength !== SALT_BYTES || noted === undefined)
      throw corruptError(entry.asked, 'its description was encrypted by a later version. Update @spillway/core.')
    const header: SealedHeader = { ...noted, purpose: 'content', salt: bytes }
    const { size } = contentOf(entry, info, header, NOTHING)
    const lineIndex = await openHint(entry, 'line-index', info.lineIndex)
    const plain = { ...described, size, lastUsedAt: info.lastUsedAt, ...(lineIndex === undefined ? {} : { lineIndex }) }
    names.learn(entry.inner, id)
    return { id, info: plain, header }
  }

  /** Decrypt a description. Returns `undefined` if the description is damaged, not encrypted, or of an unknown key. */
  const openIfSealed = (id: EntryId, info: EntryInfo): Promise<Opened | undefined> =>
    unlessFailed(openSealed({ inner: id, asked: id }, info), 'corrupt')

  /** Explain a wrong name key if an entry is not found. The check is repeated until it succeeds once. */
  const checkNames = async (id: EntryId): Promise<void> => {
    if (areNamesChecked) return
    let looked = 0
    for await (const { info } of inner.list('')) {
      const header = headerOfText(info.key)
      if (header !== undefined && !(await keys.isNameKey(header)))
        throw corruptError(
          id,
          `names in this storage were made with another name key: entries there were encrypted with the key "${header.keyId}". ` +
            'Configure the key that the first entries were stored with: as nameKey if keys rotate, else as key.',
        )
      if ((looked += 1) === MAX_NAMES_LOOKED_AT) break
    }
    areNamesChecked = true
  }

  /** Decrypt the description of an entry. Rejects with `corrupt` if that fails. */
  const openEntry = async (entry: SealedEntry, info: EntryInfo | undefined): Promise<Opened | undefined> => {
    if (info === undefined) {
      await checkNames(entry.asked)
      return undefined
    }
    const opened = await openSealed(entry, info)
    return opened.id === entry.asked ? opened : undefined
  }

  // Other members of the inner driver are left out, because they would accept or return unencrypted data.
  const { ephemeral, refreshMs, touchFirstBytes, tellsCreated, collectsHourly, layers, isInMemory } = inner
  const traits = { ephemeral, refreshMs, touchFirstBytes, tellsCreated, collectsHourly, layers, isInMemory }
  const coded: CompleteDriver = {
    ...traits,
    close: () => inner.close(),

    async write(id, chunks, info, lineIndex) {
      const innerId = await names.innerId(id)
      const header = await keys.header('content')
      const cipher = await keys.cipher(innerId, header)
      const description = { id, salt: encodeBase64(header.salt), description: encodeDescription(info) }
      const key = await sealText(keys, innerId, 'description', JSON.stringify(description))
      let sealedIndex: string | undefined
      const ended = async (): Promise<void> => {
        const index = lineIndex?.()
        if (index !== undefined) sealedIndex = await sealText(keys, innerId, 'line-index', index)
      }
      const { storedAt, lastUsedAt } = info
      const sealed = { key, contentType: SEALED_CONTENT_TYPE, storedAt, lastUsedAt, metadata: {} }
      return await inner.write(innerId, sealContent(chunks, cipher, header, ended), sealed, () => sealedIndex)
    },

    async read(id, range) {
      const entry = { inner: await names.innerId(id), asked: id }
      const asked = range === undefined ? undefined : sealedRange(range, keys.segmentBytes)
      const found = await inner.read(entry.inner, asked)
      const opened = await openEntry(entry, found?.info)
      if (found === undefined || opened === undefined) return undefined
      const start = asked?.offset ?? 0
      let isStale = false
      const content = contentOf(entry, found.info, opened.header, {
        read: async ({ offset, length }) => {
          const isHere = offset >= start && offset + length <= start + found.content.byteLength
          if (isHere && !isStale) return found.content.subarray(offset - start, offset - start + length)
          return (await inner.read(entry.inner, { offset, length }))?.content ?? new Uint8Array(0)
        },
        // Content that was read whole at once is consistent.
        renew: async () => void (isStale = asked !== undefined),
      })
      const whole = { offset: 0, length: Math.max(1, content.size) }
      return { content: await content.read(range ?? whole), info: opened.info }
    },

    async remove(id) {
      return await inner.remove(await names.innerId(id))
    },

    async touch(id, lastUsedAt) {
      return await inner.touch(await names.innerId(id), lastUsedAt)
    },

    async stat(id) {
      const entry = { inner: await names.innerId(id), asked: id }
      const info = await inner.stat(entry.inner)
      if (!names.isStandIn(id)) return (await openEntry(entry, info))?.info
      return info === undefined || (await openIfSealed(entry.inner, info)) !== undefined ? undefined : unknownInfo(info)
    },

    async open(id) {
      const sealed = { inner: await names.innerId(id), asked: id }
      const entry = await inner.open(sealed.inner)
      try {
        const opened = await openEntry(sealed, entry?.info)
        if (entry !== undefined && opened !== undefined) {
          const source = renewedEntry(entry, () => inner.open(sealed.inner))
          const content = contentOf(sealed, entry.info, opened.header, source)
          return { info: opened.info, read: (range) => content.read(range), close: source.close }
        }
      } catch (error) {
        await Promise.allSettled([entry?.close()])
        throw error
      }
      await entry?.close()
      return undefined
    },

    async *list(prefix, { unusedSince } = {}) {
      const innerPrefix = await names.innerPrefix(prefix)
      // The key and scope of an inner entry are known only after the entry is opened.
      for await (const { id, info } of inner.list(innerPrefix, { unusedSince })) {
        const opened = await openIfSealed(id, info)
        // Damaged entries are listed too, so that they can be found and removed.
        if (opened === undefined) yield { id: names.standIn(id, { prefix, innerPrefix }), info: unknownInfo(info) }
        else if (opened.id.startsWith(prefix)) yield opened
      }
    },

    async evict(id, unusedSince, eviction) {
      const innerId = await names.innerId(id)
      if (eviction === undefined) return await inner.evict(innerId, unusedSince)
      const sealed = await sealText(keys, innerId, 'eviction', JSON.stringify(eviction.metadata))
      return await inner.evict(innerId, unusedSince, { ...eviction, metadata: { [SEALED_METADATA]: sealed } })
    },

    async findEviction(id) {
      const entry = { inner: await names.innerId(id), asked: id }
      const eviction = await inner.findEviction(entry.inner)
      if (eviction === undefined) return undefined
      // An eviction is reported even if its metadata cannot be opened. Unencrypted metadata is dropped, because it is
      // not trusted, and a model would read it.
      const metadata = await openHint(entry, 'eviction', eviction.metadata[SEALED_METADATA])
      return { ...eviction, metadata: metadata === undefined ? {} : (JSON.parse(metadata) as Eviction['metadata']) }
    },

    async *removeAll(prefix) {
      const innerPrefix = await names.innerPrefix(prefix)
      for await (const id of inner.removeAll(innerPrefix)) yield names.outerId(id, { prefix, innerPrefix })
    },

    async collect(prefix, now) {
      return await inner.collect(await names.innerPrefix(prefix), now)
    },
  }
  return wrappedDriver(coded, 'encrypted')
}

const unknownInfo = ({ size, storedAt, lastUsedAt }: EntryInfo): EntryInfo => ({
  key: '',
  contentType: SEALED_CONTENT_TYPE,
  size,
  storedAt,
  lastUsedAt,
  metadata: {},
})

/** Return the encrypted bytes of a range of content of unknown size. A range that starts at 0 includes the header. */
function sealedRange({ offset, length }: ByteRange, segmentBytes: number): ByteRange {
  if (length === 0) return { offset: 0, length: 0 }
  const first = Math.floor(offset / segmentBytes)
  const start = first === 0 ? 0 : segmentStart(first, segmentBytes)
  const end = segmentStart(Math.ceil((offset + length) / segmentBytes), segmentBytes)
  if (start >= Number.MAX_SAFE_INTEGER) return { offset: Number.MAX_SAFE_INTEGER, length: 1 }
  return { offset: start, length: Math.min(Number.MAX_SAFE_INTEGER, end) - start }
}

/** Opens an entry again if its content was replaced, because the open entry may have cached old bytes. */
function renewedEntry(
  entry: OpenEntry,
  open: () => Promise<OpenEntry | undefined>,
): SealedSource & Pick<OpenEntry, 'close'> {
  let current = { entry, reads: 0 }
  const closeIfDone = async (held: typeof current): Promise<void> => {
    // Errors of closing are irrelevant here.
    if (held !== current && held.reads === 0) await Promise.allSettled([held.entry.close()])
  }
  return {
    async read(range) {
      const held = current
      held.reads += 1
      try {
        return await held.entry.read(range)
      } finally {
        held.reads -= 1
        await closeIfDone(held)
      }
    },
    // If the entry was removed in the meantime, the old entry stays open.
    async renew() {
      const opened = await open()
      if (opened === undefined) return
      const before = current
      current = { entry: opened, reads: 0 }
      await closeIfDone(before)
    },
    // Called once, when no read is pending.
    close: () => current.entry.close(),
  }
}
