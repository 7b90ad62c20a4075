import { decodeBase64, isBytes } from '@spillway/text/internal'
import { KEY_ID } from './sealed-header.ts'

/** A secret of 32 random bytes: as bytes, as 64 hexadecimal digits, or in base64. */
export type EncryptionKey = Uint8Array | string

/** A key and what it is called; without a name it is called by a digest of itself. */
export interface NamedEncryptionKey {
  /** 1 to 16 of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`. Stored beside what is sealed, and shown in messages. */
  readonly id: string
  readonly key: EncryptionKey
}

/** A key as bytes, and its name if it has one. */
export interface ParsedKey {
  readonly id?: string
  readonly secret: Uint8Array
}

export const KEY_BYTES = 32
const HEX = /^[0-9a-f]{64}$/i
const BASE64 = /^[\w+/-]{43}=?$/

/** Read a key with or without a name. Messages name the option, and never show the key. */
export function parseNamedKey(key: unknown, option: string): ParsedKey {
  if (typeof key !== 'object' || key === null || isBytes(key)) return { secret: parseKey(key, option) }
  const { id, key: secret } = key as Partial<NamedEncryptionKey>
  if (typeof id !== 'string' || !KEY_ID.test(id))
    throw new TypeError(`${option}.id must be 1 to 16 of A-Z, a-z, 0-9, ".", "_" and "-", got ${JSON.stringify(id)}.`)
  return { id, secret: parseKey(secret, `${option}.key`) }
}

/** Read a key: 32 bytes, which are copied, or a text for as many. */
export function parseKey(key: unknown, option: string): Uint8Array {
  const bytes = typeof key === 'string' ? textKey(key) : isBytes(key) ? new Uint8Array(key) : undefined
  if (bytes?.byteLength === KEY_BYTES) return bytes
  const got = isBytes(key) ? `${key.byteLength} bytes` : typeof key === 'string' ? 'another text' : typeof key
  throw new TypeError(
    `${option} must be a key of ${KEY_BYTES} random bytes, as a Uint8Array, 64 hexadecimal digits or base64, got ${got}. ` +
      'Make one with: openssl rand -base64 32',
  )
}

function textKey(text: string): Uint8Array | undefined {
  if (HEX.test(text))
    return Uint8Array.from({ length: KEY_BYTES }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16))
  return BASE64.test(text) ? decodeBase64(text) : undefined
}
