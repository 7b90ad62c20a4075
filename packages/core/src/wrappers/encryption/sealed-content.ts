import { BoundedMap, concatBytes, decodeBase64, encodeBase64, toHex, yieldToEventLoop } from '@spillway/text/internal'
import { TAG_BYTES, type Aes256Gcm } from '@spillway/text/internal/engines'
import { regroupChunks } from '../../driver/regroup-chunks.ts'
import { entryId, idPrefix, splitId, type EntryId } from '../../storage/entry-names.ts'
import { corruptError } from '../../storage/storage-error.ts'
import type { ByteRange } from '../../storage/storage.ts'
import type { KeyRing } from './key-ring.ts'
import {
  decodeHeader,
  encodeHeader,
  HEADER_BYTES,
  isSameHeader,
  layOut,
  sealSegments,
  segmentNonce,
  segmentStart,
  type SealedHeader,
  type SealedPurpose,
  type SegmentLayout,
} from './sealed-segments.ts'

/** Number of segments between two pauses for the event loop. Decrypting them takes some milliseconds. */
const SEGMENTS_OF_A_TURN = 128
/** Largest number of times that the content may be replaced while a range is read. */
const MAX_REPAIRS = 3

export interface SealedContentOptions {
  readonly keys: KeyRing
  readonly entry: SealedEntry
  readonly sealedBytes: number
  /** Header in the description. If the content starts with a different header, that header is used. */
  readonly header: SealedHeader
  /** Read encrypted bytes. At the end of the content, fewer bytes may be returned. */
  read(range: ByteRange): Promise<Uint8Array>
  /** Called if bytes are inconsistent. Later reads must return the content that the backend has now. */
  renew(): Promise<void>
  /** Called with the header at the start of the content if it is valid and differs. */
  readonly repaired: (header: SealedHeader) => void
}

interface Opening {
  readonly header: SealedHeader
  readonly cipher: () => Promise<Aes256Gcm>
}

export class SealedContent {
  readonly #options: SealedContentOptions
  /** The opening that succeeded last. Each read keeps its own opening, because content may be stored again. */
  #opening: Opening
  #repair: Promise<Opening | undefined> | undefined

  constructor(options: SealedContentOptions) {
    this.#options = options
    this.#opening = this.#openingOf(options.header)
  }

  /** Number of bytes in the decrypted content. Throws `corrupt` if no content can have this encrypted size. */
  get size(): number {
    return this.#layout(this.#opening.header).size
  }

  #layout({ segmentBytes }: SealedHeader): SegmentLayout {
    const { entry, sealedBytes } = this.#options
    const layout = layOut(sealedBytes, segmentBytes)
    if (layout === undefined) throw corruptError(entry.asked, 'its encrypted bytes were cut. Store the content again.')
    return layout
  }

  /** Return a copy of the decrypted bytes in a range. A range up to the end of the content verifies its end. */
  async read(range: ByteRange): Promise<Uint8Array> {
    if (range.length === 0) return new Uint8Array(0)
    let opening = this.#opening
    for (let repairs = 0; ; repairs++) {
      const opened = await this.#opened(range, opening)
      if (opened !== undefined) {
        if (repairs > 0) this.#options.repaired(opening.header)
        return opened
      }
      const next = repairs < MAX_REPAIRS ? await this.#repaired(opening) : undefined
      if (next === undefined) throw unopenedError(this.#options.entry.asked, opening.header)
      opening = next
    }
  }

  /** Reads the header again if a segment cannot be decrypted. Returns `undefined` if the header has not changed. */
  async #repaired(failed: Opening): Promise<Opening | undefined> {
    if (this.#opening !== failed) return this.#opening
    this.#repair ??= this.#renewed(failed)
    return await this.#repair
  }

  /** Use the header at the start of the content, because the description may be from a concurrent writer. */
  async #renewed({ header }: Opening): Promise<Opening | undefined> {
    try {
      await this.#options.renew()
      const own = await this.#headerOfContent()
      if (isSameHeader(own, header)) return undefined
      return (this.#opening = this.#openingOf(own))
    } finally {
      this.#repair = undefined
    }
  }

  async #headerOfContent(): Promise<SealedHeader> {
    const { entry, read } = this.#options
    const header = decodeHeader(await read({ offset: 0, length: HEADER_BYTES }))
    if (header?.purpose === 'content') return header
    throw corruptError(entry.asked, 'the header of its encrypted bytes is damaged. Store the content again.')
  }

  /** Decrypt the segments of a range. Returns `undefined` if a segment cannot be decrypted. */
  async #opened(range: ByteRange, { header, cipher }: Opening): Promise<Uint8Array | undefined> {
    const { sealedBytes, read } = this.#options
    const { segmentBytes } = header
    const { size, segments } = this.#layout(header)
    const start = Math.min(range.offset, size)
    const end = Math.min(size, start + range.length)
    const first = Math.min(segments - 1, Math.floor(start / segmentBytes))
    const last = end === size ? segments - 1 : Math.ceil(end / segmentBytes) - 1
    const from = first === 0 ? 0 : segmentStart(first, segmentBytes)
    const length = Math.min(sealedBytes, segmentStart(last + 1, segmentBytes)) - from
    const sealed = await read({ offset: from, length })
    // The header at the start must equal the header with which the segments are decrypted.
    if (sealed.byteLength !== length || (first === 0 && !isSameHeader(header, decodeHeader(sealed)))) return undefined
    const plain = new Uint8Array(end - start)
    const aes = await cipher()
    for (let segment = first; segment <= last; segment++) {
      const at = segmentStart(segment, segmentBytes) - from
      const part = sealed.subarray(at, at + segmentBytes + TAG_BYTES)
      const opened = await aes.open(segmentNonce(segment, segment === segments - 1), part)
      if (opened === undefined) return undefined
      const skip = segment * segmentBytes - start
      plain.set(opened.subarray(Math.max(0, -skip), Math.max(0, end - start - skip)), Math.max(0, skip))
      if ((segment - first) % SEGMENTS_OF_A_TURN === SEGMENTS_OF_A_TURN - 1) await yieldToEventLoop()
    }
    return plain
  }

  #openingOf(header: SealedHeader): Opening {
    const { keys, entry } = this.#options
    let made: Aes256Gcm | undefined
    // A key service that failed now may succeed for the next read.
    return { header, cipher: async () => (made ??= await keys.cipher(entry.inner, header, entry.asked)) }
  }
}

const PIECE_SEGMENTS = 16
/** Number of bytes between two pauses for the event loop. Encrypting them takes some milliseconds. */
const BYTES_OF_A_TURN = 8_388_608

/** Encrypt content. `ended` is awaited after the end of `chunks`, before the last bytes are yielded. */
export async function* sealContent(
  chunks: AsyncIterable<Uint8Array>,
  cipher: Aes256Gcm,
  header: SealedHeader,
  ended: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const { segmentBytes } = header
  let first = 0
  let sealedBytes = 0
  // The last piece is only known after the stream has ended.
  let held: Uint8Array | undefined
  const seal = async (isEnd: boolean): Promise<Uint8Array> => {
    const room = first === 0 ? HEADER_BYTES : 0
    const plain = held ?? new Uint8Array(0)
    const sealed = await sealSegments(cipher, plain, { first, isEnd, segmentBytes, room })
    if (first === 0) sealed.set(encodeHeader(header))
    first += PIECE_SEGMENTS
    sealedBytes += sealed.byteLength
    if (sealedBytes >= BYTES_OF_A_TURN) {
      sealedBytes = 0
      await yieldToEventLoop()
    }
    return sealed
  }
  for await (const piece of regroupChunks(chunks, PIECE_SEGMENTS * segmentBytes)) {
    if (held !== undefined) yield await seal(false)
    held = piece
  }
  await ended()
  yield await seal(true)
}

/** Size of a name: 160 bits of an HMAC, or 40 hexadecimal digits. */
const NAME_BYTES = 20
const MAX_KNOWN = 20_000
/** Prefix of placeholder ids, for entries with undecryptable names. No scope or reference starts with this prefix. */
const AS_IT_IS = '__'
/** Whether a name is a placeholder. The prefix alone is an ordinary name. */
const isAsItIs = (name: string): boolean => name.startsWith(AS_IT_IS) && name !== AS_IT_IS

/** An entry of the backend, and the id that the caller requested, for messages. */
export interface SealedEntry {
  readonly inner: EntryId
  readonly asked: EntryId
}

/** A prefix of ids, and the corresponding prefix of names in the backend. */
interface NamePrefix {
  readonly prefix: string
  readonly innerPrefix: string
}

/** Names in a backend. Each segment of an id becomes a keyed digest of this segment and all earlier ones. */
export class SealedNames {
  readonly #keys: KeyRing
  readonly #scopes = new BoundedMap<string, Promise<string>>(MAX_KNOWN)
  /** Names requested in this process. The limit is the number of entries that core caches. */
  readonly #outerIds = new BoundedMap<EntryId, EntryId>(MAX_KNOWN)
  readonly #outerPaths = new BoundedMap<string, string>(MAX_KNOWN)

  constructor(keys: KeyRing) {
    this.#keys = keys
  }

  async innerId(id: EntryId): Promise<EntryId> {
    const { path, reference } = splitId(id)
    const scope = await this.#scope(path)
    const inner = entryId(scope, await this.#name('entry', scope, reference))
    this.learn(inner, id)
    return inner
  }

  async innerPrefix(prefix: string): Promise<string> {
    return idPrefix(await this.#scope(prefix.replace(/\/$/, '')))
  }

  learn(inner: EntryId, id: EntryId): void {
    this.#outerIds.set(inner, id)
  }

  /** Return the id for an entry of the backend below a prefix. If the id is unknown, return a placeholder. */
  outerId(inner: EntryId, below: NamePrefix): EntryId {
    return this.#outerIds.get(inner) ?? this.standIn(inner, below)
  }

  standIn(inner: EntryId, { prefix, innerPrefix }: NamePrefix): EntryId {
    const { path, reference } = splitId(inner)
    const known = this.#outerPaths.get(path)
    if (known !== undefined) return entryId(known, AS_IT_IS + reference)
    const names = inner.slice(innerPrefix.length).split('/')
    return prefix + names.map((name) => AS_IT_IS + name).join('/')
  }

  isStandIn(id: EntryId): boolean {
    return isAsItIs(splitId(id).reference)
  }

  #scope(path: string): Promise<string> {
    if (path === '') return Promise.resolve('')
    const known = this.#scopes.get(path)
    if (known !== undefined) return known
    const scope = this.#deriveScope(path)
    this.#scopes.set(path, scope)
    return scope
  }

  async #deriveScope(path: string): Promise<string> {
    try {
      const { path: parentPath, reference: segment } = splitId(path)
      const parent = await this.#scope(parentPath)
      const scope = entryId(parent, await this.#name('scope', parent, segment))
      this.#outerPaths.set(scope, path)
      return scope
    } catch (error) {
      this.#scopes.delete(path)
      throw error
    }
  }

  async #name(kind: 'scope' | 'entry', parent: string, name: string): Promise<string> {
    if (isAsItIs(name)) return name.slice(AS_IT_IS.length)
    const code = await this.#keys.nameCode(`${kind} ${parent}/${name}`)
    return toHex(code.subarray(0, NAME_BYTES))
  }
}

/** Prefix of encrypted texts. A header and one last segment follow, in base64. */
const MAGIC = 'sealed1.'

export async function sealText(keys: KeyRing, id: EntryId, purpose: SealedPurpose, text: string): Promise<string> {
  const header = await keys.header(purpose)
  const cipher = await keys.cipher(id, header)
  const sealed = await cipher.seal(segmentNonce(0, true), new TextEncoder().encode(text))
  return MAGIC + encodeBase64(concatBytes([encodeHeader(header), sealed]))
}

export const headerOfText = (text: string): SealedHeader | undefined => takeApart(text)?.header

/** Decrypt a result of {@link sealText} for this entry and purpose. Rejects with `corrupt` for any other text. */
export async function openText(
  keys: KeyRing,
  { inner, asked }: SealedEntry,
  purpose: SealedPurpose,
  text: string,
): Promise<string> {
  const parts = takeApart(text)
  if (parts === undefined || parts.header.purpose !== purpose)
    throw corruptError(asked, 'it is not encrypted: it was stored without encryption, or its description is damaged.')
  const { header, sealed } = parts
  const cipher = await keys.cipher(inner, header, asked)
  const opened = await cipher.open(segmentNonce(0, true), sealed)
  if (opened === undefined) throw unopenedError(asked, header)
  return new TextDecoder().decode(opened)
}

const unopenedError = (id: EntryId, { keyId }: SealedHeader): ReturnType<typeof corruptError> =>
  corruptError(
    id,
    `it was encrypted with the key "${keyId}", but cannot be decrypted with it. Either the key configured as "${keyId}" is ` +
      'a different key, or the stored bytes were changed.',
  )

function takeApart(text: string): { readonly header: SealedHeader; readonly sealed: Uint8Array } | undefined {
  if (!text.startsWith(MAGIC)) return undefined
  const base64 = text.slice(MAGIC.length)
  const bytes = decodeBase64(base64)
  // The same bytes have several texts in Base64. Only the text that was written is valid.
  if (bytes === undefined || encodeBase64(bytes) !== base64) return undefined
  const header = decodeHeader(bytes)
  if (header === undefined || bytes.byteLength < HEADER_BYTES + TAG_BYTES) return undefined
  return { header, sealed: bytes.subarray(HEADER_BYTES) }
}
