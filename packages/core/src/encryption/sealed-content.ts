import { yieldToEventLoop } from '#platform'
import { TAG_BYTES, type Aes256Gcm } from '../platform/aes-256-gcm.ts'
import { corruptError } from '../storage/corrupt-error.ts'
import type { EntryId } from '../storage/storage-driver.ts'
import type { ByteRange } from '../storage/storage.ts'
import type { KeyRing } from './key-ring.ts'
import { unopenedError } from './sealed-box.ts'
import { decodeHeader, HEADER_BYTES, type SealedHeader } from './sealed-header.ts'
import { layOut, segmentNonce, segmentStart, type SegmentLayout } from './sealed-segments.ts'

/** Other work has its turn after so many segments: opening them takes some milliseconds. */
const SEGMENTS_OF_A_TURN = 128

/** What {@link SealedContent} reads. */
export interface SealedContentOptions {
  readonly keys: KeyRing
  /** The id of the entry in the backend. */
  readonly id: EntryId
  /** Bytes of the sealed content. */
  readonly sealedBytes: number
  /** The header of the content as it is noted in the description: the one in front of it counts where they differ. */
  readonly header: SealedHeader
  /** Read sealed bytes, fewer where they end before. `isFresh`: what was read before does not fit. */
  read(range: ByteRange, isFresh: boolean): Promise<Uint8Array>
}

/** Sealed content as it was before. */
export class SealedContent {
  readonly #options: SealedContentOptions
  #header: SealedHeader
  #cipher: Promise<Aes256Gcm> | undefined

  constructor(options: SealedContentOptions) {
    this.#options = options
    this.#header = options.header
  }

  /** Bytes of the plain content. Throws `corrupt` where no content has so many sealed ones. */
  get size(): number {
    return this.#layout.size
  }

  get #layout(): SegmentLayout {
    const { id, sealedBytes } = this.#options
    const layout = layOut(sealedBytes, this.#header.segmentBytes)
    if (layout === undefined) throw corruptError(id, 'its sealed bytes were cut. Store the content again.')
    return layout
  }

  /**
   * Return the plain bytes in a range, in memory of their own. A range that reaches the end, or passes it, also proves that
   * this is the end.
   */
  async read(range: ByteRange): Promise<Uint8Array> {
    if (range.length === 0) return new Uint8Array(0)
    const opened = await this.#opened(range, false)
    if (opened !== undefined) return opened
    // The description can be of another writer, who stored the same at the same time.
    const own = await this.#headerOfContent()
    const isOther = own.salt.some((byte, at) => byte !== this.#header.salt[at]) || own.keyId !== this.#header.keyId
    this.#header = own
    this.#cipher = undefined
    const again = isOther ? await this.#opened(range, true) : undefined
    if (again === undefined) throw unopenedError(this.#options.id, own)
    return again
  }

  async #headerOfContent(): Promise<SealedHeader> {
    const { id, read } = this.#options
    const header = decodeHeader(await read({ offset: 0, length: HEADER_BYTES }, true))
    if (header?.purpose === 'content') return header
    throw corruptError(id, 'the header of its sealed bytes is damaged. Store the content again.')
  }

  /** Open the segments of a range; `undefined` where one does not open. */
  async #opened(range: ByteRange, isFresh: boolean): Promise<Uint8Array | undefined> {
    const { sealedBytes, read } = this.#options
    const { segmentBytes } = this.#header
    const { size, segments } = this.#layout
    const start = Math.min(range.offset, size)
    const end = Math.min(size, start + range.length)
    const first = Math.min(segments - 1, Math.floor(start / segmentBytes))
    const last = end === size ? segments - 1 : Math.ceil(end / segmentBytes) - 1
    const from = first === 0 ? 0 : segmentStart(first, segmentBytes)
    const length = Math.min(sealedBytes, segmentStart(last + 1, segmentBytes)) - from
    const sealed = await read({ offset: from, length }, isFresh)
    if (sealed.byteLength !== length || (first === 0 && !this.#isOwnHeader(sealed))) return undefined
    const plain = new Uint8Array(end - start)
    const cipher = await this.#ownCipher()
    for (let segment = first; segment <= last; segment++) {
      const at = segmentStart(segment, segmentBytes) - from
      const part = sealed.subarray(at, at + segmentBytes + TAG_BYTES)
      const opened = await cipher.open(segmentNonce(segment, segment === segments - 1), part)
      if (opened === undefined) return undefined
      const skip = segment * segmentBytes - start
      plain.set(opened.subarray(Math.max(0, -skip), Math.max(0, end - start - skip)), Math.max(0, skip))
      if ((segment - first) % SEGMENTS_OF_A_TURN === SEGMENTS_OF_A_TURN - 1) await yieldToEventLoop()
    }
    return plain
  }

  /** The header in front of the content must be the one that its segments were opened with. */
  #isOwnHeader(sealed: Uint8Array): boolean {
    const header = decodeHeader(sealed)
    if (header?.purpose !== 'content') return false
    const { salt, keyId, nameKeyId, segmentBytes } = this.#header
    return (
      header.keyId === keyId &&
      header.segmentBytes === segmentBytes &&
      header.salt.every((byte, at) => byte === salt[at]) &&
      header.nameKeyId.every((byte, at) => byte === nameKeyId[at])
    )
  }

  #ownCipher(): Promise<Aes256Gcm> {
    return (this.#cipher ??= this.#options.keys.cipher(this.#options.id, this.#header))
  }
}
