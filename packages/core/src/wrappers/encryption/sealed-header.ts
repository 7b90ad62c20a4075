import { randomBytes } from '@spillway/text/internal'

/** What is sealed: each under a key of its own. */
export type SealedPurpose = 'content' | 'description' | 'line-index' | 'eviction'

/** What stands in front of sealed bytes, and is not secret. */
export interface SealedHeader {
  readonly purpose: SealedPurpose
  /** Plain bytes of a segment, a power of two. */
  readonly segmentBytes: number
  /** Which key names in the backend were made with: 8 bytes that say nothing about it. */
  readonly nameKeyId: Uint8Array
  /** Which key it is sealed with: 1 to 16 of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`. */
  readonly keyId: string
  /** 32 bytes, random for each write. */
  readonly salt: Uint8Array
}

export const HEADER_BYTES = 64
export const SALT_BYTES = 32
/** Where the salt begins; all before it is part of what a key is derived from. */
export const SALT_START: number = HEADER_BYTES - SALT_BYTES
export const KEY_ID: RegExp = /^[\w.-]{1,16}$/
/** `SPWE`, and the version. */
const MAGIC = [0x53, 0x50, 0x57, 0x45, 1]
const PURPOSES: readonly SealedPurpose[] = ['content', 'description', 'line-index', 'eviction']
const NAME_KEY_START = 8
const KEY_ID_START = 16
const MAX_SEGMENT_BITS = 24

/** Make a header with a new salt. */
export const newHeader = (header: Omit<SealedHeader, 'salt'>): SealedHeader => ({
  ...header,
  salt: randomBytes(SALT_BYTES),
})

/** Write a header: magic and version, purpose, bits of a segment, a zero, the two ids, the salt. */
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

/** Read what {@link encodeHeader} wrote, in front of other bytes; `undefined` for anything else. */
export function decodeHeader(bytes: Uint8Array): SealedHeader | undefined {
  if (bytes.byteLength < HEADER_BYTES || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined
  const purpose = PURPOSES[bytes[5]! - 1]
  const keyId = String.fromCharCode(...bytes.subarray(KEY_ID_START, SALT_START)).replace(/\0+$/, '')
  if (purpose === undefined || bytes[6]! > MAX_SEGMENT_BITS || bytes[7] !== 0 || !KEY_ID.test(keyId)) return undefined
  const nameKeyId = bytes.slice(NAME_KEY_START, KEY_ID_START)
  return { purpose, segmentBytes: 2 ** bytes[6]!, nameKeyId, keyId, salt: bytes.slice(SALT_START, HEADER_BYTES) }
}

/** Whether two headers are the same, byte for byte. */
export function isSameHeader(one: SealedHeader, other: SealedHeader | undefined): boolean {
  if (other === undefined) return false
  const bytes = encodeHeader(other)
  return encodeHeader(one).every((byte, at) => byte === bytes[at])
}
