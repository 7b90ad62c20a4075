import { TAG_BYTES, type Aes256Gcm } from '@spillway/text/internal/engines'
import { HEADER_BYTES } from './sealed-header.ts'

const NONCE_BYTES = 12

/** Where the segments of sealed content are. */
export interface SegmentLayout {
  /** Bytes of the plain content. */
  readonly size: number
  readonly segments: number
}

/** Lay out sealed content of so many bytes, the header among them; `undefined` where nothing has that many. */
export function layOut(sealedBytes: number, segmentBytes: number): SegmentLayout | undefined {
  const body = sealedBytes - HEADER_BYTES
  const segments = Math.max(1, Math.ceil(body / (segmentBytes + TAG_BYTES)))
  const size = body - segments * TAG_BYTES
  // Only content of no bytes has a segment of none.
  const isPossible = size > (segments - 1) * segmentBytes || (size === 0 && segments === 1)
  return isPossible ? { size, segments } : undefined
}

/** Where a segment begins in sealed content. */
export const segmentStart = (segment: number, segmentBytes: number): number =>
  HEADER_BYTES + segment * (segmentBytes + TAG_BYTES)

/**
 * Say what is different for each segment, as STREAM does: its number, in 11 bytes with the highest first, and whether it is
 * the last one.
 */
export function segmentNonce(segment: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(NONCE_BYTES)
  const view = new DataView(nonce.buffer)
  view.setUint32(3, Math.floor(segment / 2 ** 32))
  view.setUint32(7, segment % 2 ** 32)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

/** Seal whole segments that follow each other, of which the last one may end the content, with room in front of them. */
export async function sealSegments(
  cipher: Aes256Gcm,
  plain: Uint8Array,
  { first, isEnd, segmentBytes, room = 0 }: SealOptions,
): Promise<Uint8Array> {
  const count = Math.max(1, Math.ceil(plain.byteLength / segmentBytes))
  const sealed = new Uint8Array(room + plain.byteLength + count * TAG_BYTES)
  for (let index = 0; index < count; index++) {
    const nonce = segmentNonce(first + index, isEnd && index === count - 1)
    const part = plain.subarray(index * segmentBytes, (index + 1) * segmentBytes)
    sealed.set(await cipher.seal(nonce, part), room + index * (segmentBytes + TAG_BYTES))
  }
  return sealed
}

/** Where segments are among those of a content. */
export interface SealOptions {
  /** The number of the first segment. */
  readonly first: number
  /** Whether the content ends with the last of them. */
  readonly isEnd: boolean
  readonly segmentBytes: number
  /** Bytes to leave in front of them. */
  readonly room?: number
}
