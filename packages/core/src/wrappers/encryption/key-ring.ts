import { BoundedMap, decodeBase64, isBytes, toHex } from '@spillway/text/internal'
import { createAes256Gcm, hkdfSha256, hmacSha256, type Aes256Gcm } from '@spillway/text/internal/engines'
import { corruptError } from '../../storage/storage-error.ts'
import { shown } from '../../storage/storage-input.ts'
import type { EntryId } from '../../storage/entry-names.ts'
import {
  encodeHeader,
  KEY_ID,
  newHeader,
  SALT_START,
  type SealedHeader,
  type SealedPurpose,
} from './sealed-segments.ts'

export interface Primitives {
  createAes256Gcm(key: Uint8Array): Aes256Gcm
  hkdfSha256(key: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Promise<Uint8Array>
  hmacSha256(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array>
}

/** Finds an older key by its id. Returns `undefined` if there is no such key. */
export type FindKey = (id: string) => EncryptionKey | undefined | Promise<EncryptionKey | undefined>

export interface KeyRingOptions {
  readonly current: ParsedKey
  readonly previous: readonly ParsedKey[]
  readonly findKey?: FindKey
  readonly nameSecret: Uint8Array
  /** Number of unencrypted bytes in a segment. Defaults to 64 KiB. */
  readonly segmentBytes?: number
}

const DEFAULT_SEGMENT_BYTES = 65_536
const ID_BYTES = 8
const MAX_FOUND = 1_000
const NO_SALT = new Uint8Array(0)

interface Keys {
  readonly currentId: string
  readonly secrets: ReadonlyMap<string, Uint8Array>
  readonly nameKey: Uint8Array
  readonly nameKeyId: Uint8Array
}

export class KeyRing {
  readonly segmentBytes: number
  readonly #options: KeyRingOptions
  readonly #primitives: Primitives
  /** Older keys by id. The keys are cached, because a key service is slow and limits requests. */
  readonly #found = new BoundedMap<string, Promise<Uint8Array | undefined>>(MAX_FOUND)
  #keys: Promise<Keys> | undefined

  constructor(options: KeyRingOptions, primitives: Primitives = { createAes256Gcm, hkdfSha256, hmacSha256 }) {
    this.#options = options
    this.#primitives = primitives
    this.segmentBytes = options.segmentBytes ?? DEFAULT_SEGMENT_BYTES
  }

  async header(purpose: SealedPurpose): Promise<SealedHeader> {
    const { currentId, nameKeyId } = await this.#all()
    return newHeader({ purpose, segmentBytes: this.segmentBytes, nameKeyId, keyId: currentId })
  }

  /** Return the cipher for a header and an entry of the backend. Rejects with `corrupt` if the key is unknown. */
  async cipher(id: EntryId, header: SealedHeader, asked: EntryId = id): Promise<Aes256Gcm> {
    const { secrets } = await this.#all()
    const secret = secrets.get(header.keyId) ?? (await this.#find(header.keyId))
    if (secret === undefined)
      throw corruptError(
        asked,
        `it was encrypted with the key "${header.keyId}", which is not configured (configured: ${[...secrets.keys()].join(', ')}). Add it to keys.previous.`,
      )
    const info = new Uint8Array([
      ...ascii('spillway sealed '),
      ...encodeHeader(header).subarray(0, SALT_START),
      ...ascii(id),
    ])
    const key = await this.#primitives.hkdfSha256(secret, header.salt, info, KEY_BYTES)
    return this.#primitives.createAes256Gcm(key)
  }

  async nameCode(text: string): Promise<Uint8Array> {
    const { nameKey } = await this.#all()
    return await this.#primitives.hmacSha256(nameKey, ascii(text))
  }

  async isNameKey({ nameKeyId }: SealedHeader): Promise<boolean> {
    const own = (await this.#all()).nameKeyId
    return own.every((byte, at) => byte === nameKeyId[at])
  }

  async #find(id: string): Promise<Uint8Array | undefined> {
    const { findKey } = this.#options
    if (findKey === undefined) return undefined
    const known = this.#found.get(id)
    if (known !== undefined) return await known
    const asked = ask(findKey, id)
    this.#found.set(id, asked)
    let secret: Uint8Array | undefined
    try {
      return (secret = await asked)
    } finally {
      // A missing key or a failed lookup may succeed the next time.
      if (secret === undefined) this.#found.delete(id)
    }
  }

  #all(): Promise<Keys> {
    return (this.#keys ??= this.#derive())
  }

  async #derive(): Promise<Keys> {
    const { current, previous, nameSecret } = this.#options
    const secrets = new Map<string, Uint8Array>()
    for (const key of [current, ...previous]) secrets.set(await this.#idOf(key), key.secret)
    return {
      currentId: await this.#idOf(current),
      secrets,
      nameKey: await this.#derived(nameSecret, 'spillway names', KEY_BYTES),
      nameKeyId: await this.#derived(nameSecret, 'spillway name key id', ID_BYTES),
    }
  }

  async #idOf({ id, secret }: ParsedKey): Promise<string> {
    return id ?? toHex(await this.#derived(secret, 'spillway key id', ID_BYTES))
  }

  #derived(secret: Uint8Array, purpose: string, length: number): Promise<Uint8Array> {
    return this.#primitives.hkdfSha256(secret, NO_SALT, ascii(purpose), length)
  }
}

async function ask(findKey: FindKey, id: string): Promise<Uint8Array | undefined> {
  const found = await findKey(id)
  return found === undefined ? undefined : parseKey(found, `keys.previous(${JSON.stringify(id)})`)
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A secret of 32 random bytes: as bytes, as 64 hexadecimal digits, or in base64. */
export type EncryptionKey = Uint8Array | string

/** A key and its id. Without an id, a digest of the key is used. */
export interface NamedEncryptionKey {
  /** 1 to 16 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`. Stored with content, and shown in messages. */
  readonly id: string
  readonly key: EncryptionKey
}

export interface ParsedKey {
  readonly id?: string
  readonly secret: Uint8Array
}

const KEY_BYTES = 32
const HEX = /^[0-9a-f]{64}$/i
const BASE64 = /^[\w+/-]{43}=?$/

/** Parse a key with or without an id. Messages name the option, but never contain the key. */
export function parseNamedKey(key: unknown, option: string): ParsedKey {
  if (typeof key !== 'object' || key === null || isBytes(key)) return { secret: parseKey(key, option) }
  const { id, key: secret } = key as Partial<NamedEncryptionKey>
  if (typeof id !== 'string' || !KEY_ID.test(id))
    throw new TypeError(`${option}.id must be 1 to 16 of A-Z, a-z, 0-9, ".", "_" and "-", got ${shown(id)}.`)
  return { id, secret: parseKey(secret, `${option}.key`) }
}

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
