import { randomBytes } from '@spillway/text/internal'
import { TAG_BYTES, type Aes256Gcm } from '@spillway/text/internal/engines'

const NONCE_BYTES = 12

export interface SegmentLayout {
  readonly size: number
  readonly segments: number
}

/** Compute the layout from the number of encrypted bytes. Returns `undefined` if the size is impossible. */
export function layOut(sealedBytes: number, segmentBytes: number): SegmentLayout | undefined {
  const body = sealedBytes - HEADER_BYTES
  const segments = Math.max(1, Math.ceil(body / (segmentBytes + TAG_BYTES)))
  const size = body - segments * TAG_BYTES
  // Only empty content has an empty segment.
  const isPossible = size > (segments - 1) * segmentBytes || (size === 0 && segments === 1)
  return isPossible ? { size, segments } : undefined
}

export const segmentStart = (segment: number, segmentBytes: number): number =>
  HEADER_BYTES + segment * (segmentBytes + TAG_BYTES)

/** Return the nonce of a segment, as in STREAM: 11 big-endian bytes of its number, and whether it is the last. */
export function segmentNonce(segment: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(NONCE_BYTES)
  const view = new DataView(nonce.buffer)
  view.setUint32(3, Math.floor(segment / 2 ** 32))
  view.setUint32(7, segment % 2 ** 32)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

/** Encrypt consecutive segments, with room for a header in front. The last of these segments may end the content. */
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

interface SealOptions {
  readonly first: number
  readonly isEnd: boolean
  readonly segmentBytes: number
  /** Number of bytes to leave free in front of the segments. */
  readonly room?: number
}

/** Purpose of encrypted bytes. Each purpose has its own key. */
export type SealedPurpose = 'content' | 'description' | 'line-index' | 'eviction'

/** The unencrypted header in front of encrypted bytes. */
export interface SealedHeader {
  readonly purpose: SealedPurpose
  /** Number of unencrypted bytes in a segment, a power of two. */
  readonly segmentBytes: number
  /** Id of the name key: 8 bytes that reveal nothing about the key. */
  readonly nameKeyId: Uint8Array
  /** Id of the encryption key: 1 to 16 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`. */
  readonly keyId: string
  /** 32 bytes, random for each write. */
  readonly salt: Uint8Array
}

export const HEADER_BYTES = 64
export const SALT_BYTES = 32
/** Position of the salt. All bytes before it are input of the key derivation. */
export const SALT_START: number = HEADER_BYTES - SALT_BYTES
export const KEY_ID: RegExp = /^[\w.-]{1,16}$/
/** `SPWE` and the version. */
const MAGIC = [0x53, 0x50, 0x57, 0x45, 1]
const PURPOSES: readonly SealedPurpose[] = ['content', 'description', 'line-index', 'eviction']
const NAME_KEY_START = 8
const KEY_ID_START = 16
const MAX_SEGMENT_BITS = 24

export const newHeader = (header: Omit<SealedHeader, 'salt'>): SealedHeader => ({
  ...header,
  salt: randomBytes(SALT_BYTES),
})

/** Encode a header: magic number and version, purpose, log2 of the segment size, a zero, the two ids, the salt. */
export function encodeHeader({ purpose, segmentBytes, nameKeyId, keyId, salt }: SealedHeader): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES)
  bytes.set(MAGIC)
  bytes[5] = PURPOSES.indexOf(purpose) + 1
  bytes[6] = Math.log2(segmentBytes)
  bytes.set(nameKeyId, NAME_KEY_START)
  bytes.set(new TextEncoder().encode(keyId), KEY_ID_START)
  bytes.set(salt, SALT_START)
  return bytes
}

export function decodeHeader(bytes: Uint8Array): SealedHeader | undefined {
  if (bytes.byteLength < HEADER_BYTES || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined
  const purpose = PURPOSES[bytes[5]! - 1]
  const keyId = String.fromCharCode(...bytes.subarray(KEY_ID_START, SALT_START)).replace(/\0+$/, '')
  if (purpose === undefined || bytes[6]! > MAX_SEGMENT_BITS || bytes[7] !== 0 || !KEY_ID.test(keyId)) return undefined
  const nameKeyId = bytes.slice(NAME_KEY_START, KEY_ID_START)
  return { purpose, segmentBytes: 2 ** bytes[6]!, nameKeyId, keyId, salt: bytes.slice(SALT_START, HEADER_BYTES) }
}

export function isSameHeader(one: SealedHeader, other: SealedHeader | undefined): boolean {
  if (other === undefined) return false
  const bytes = encodeHeader(other)
  return encodeHeader(one).every((byte, at) => byte === bytes[at])
}
