import { yieldToEventLoop } from '@spillway/text/internal'
import { TAG_BYTES, type Aes256Gcm } from '@spillway/text/internal/engines'
import { regroupChunks } from '../../driver/regroup-chunks.ts'
import { corruptError } from '../../storage/storage-driver.ts'
import type { ByteRange } from '../../storage/storage.ts'
import type { KeyRing } from './key-ring.ts'
import { unopenedError, type SealedEntry } from './sealed-names.ts'
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
  type SegmentLayout,
} from './sealed-segments.ts'

/** Other work has its turn after so many segments: opening them takes some milliseconds. */
const SEGMENTS_OF_A_TURN = 128
/** How often content may be stored again while a range of it is being read. */
const MAX_REPAIRS = 3

/** What {@link SealedContent} reads. */
export interface SealedContentOptions {
  readonly keys: KeyRing
  readonly entry: SealedEntry
  /** Bytes of the sealed content. */
  readonly sealedBytes: number
  /** The header of the content as it is noted in the description: the one in front of it counts where they differ. */
  readonly header: SealedHeader
  /** Read sealed bytes, fewer where they end before. */
  read(range: ByteRange): Promise<Uint8Array>
  /** What was read does not fit: from now on read what the backend has now. */
  renew(): Promise<void>
  /** Called with the header in front of the content where that is another one, and opens it. */
  readonly repaired: (header: SealedHeader) => void
}

/** What segments are opened with. */
interface Opening {
  readonly header: SealedHeader
  readonly cipher: () => Promise<Aes256Gcm>
}

/** Sealed content as it was before. */
export class SealedContent {
  readonly #options: SealedContentOptions
  /** What opened last; a read keeps to its own, since another one may find that the content was stored again. */
  #opening: Opening
  #repair: Promise<Opening | undefined> | undefined

  constructor(options: SealedContentOptions) {
    this.#options = options
    this.#opening = this.#openingOf(options.header)
  }

  /** Bytes of the plain content. Throws `corrupt` where no content has so many sealed ones. */
  get size(): number {
    return this.#layout(this.#opening.header).size
  }

  #layout({ segmentBytes }: SealedHeader): SegmentLayout {
    const { entry, sealedBytes } = this.#options
    const layout = layOut(sealedBytes, segmentBytes)
    if (layout === undefined) throw corruptError(entry.asked, 'its sealed bytes were cut. Store the content again.')
    return layout
  }

  /**
   * Return the plain bytes in a range, in memory of their own. A range that reaches the end, or passes it, also proves that
   * this is the end. Called concurrently.
   */
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

  /** Return what to try in place of what did not open; `undefined` where that is all there is. */
  async #repaired(failed: Opening): Promise<Opening | undefined> {
    if (this.#opening !== failed) return this.#opening
    this.#repair ??= this.#renewed(failed)
    return await this.#repair
  }

  /**
   * Go by the header in front of the content. The description can be of another writer, who stored the same at the same
   * time, and some backends keep it when content is stored again.
   */
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
    throw corruptError(entry.asked, 'the header of its sealed bytes is damaged. Store the content again.')
  }

  /** Open the segments of a range; `undefined` where one does not open. */
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
    // The header in front of the content must be the one that its segments are opened with.
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
    // A key service that does not answer now may do so for the next read.
    return { header, cipher: async () => (made ??= await keys.cipher(entry.inner, header, entry.asked)) }
  }
}

/** Segments that are sealed together. */
const PIECE_SEGMENTS = 16
/** Other work has its turn after so many bytes: sealing them takes some milliseconds. */
const BYTES_OF_A_TURN = 8_388_608

/**
 * Seal content: its header, and its segments after it.
 *
 * @param ended - Waited for once all of `chunks` was read, before the last bytes are given.
 */
export async function* sealContent(
  chunks: AsyncIterable<Uint8Array>,
  cipher: Aes256Gcm,
  header: SealedHeader,
  ended: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const { segmentBytes } = header
  let first = 0
  let sealedBytes = 0
  // The last piece is known as such only when nothing follows it.
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
