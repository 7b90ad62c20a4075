import { createSha256, randomBytes, yieldWhenDue } from '@spillway/text/internal'
import { StorageError } from './storage-error.ts'

const MAX_REFERENCE_LENGTH = 64
const MAX_SLUG_LENGTH = 32
/** Number of characters for 100 bits of the digest. Each character has 5 bits. */
const DIGEST_LENGTH = 20
const DIGEST_BYTES = 13
/** Number of check characters at the end of a random reference. */
const CHECK_LENGTH = 2
/** Number of bytes to hash at once, which takes at most 3 ms. */
const HASHED_BYTES = 1_048_576
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const REFERENCE = /^[a-z0-9_]{1,64}$/
/**
 * Marks references of open entries. With this mark, the last part of a reference is one character longer than a digest.
 */
const OPEN_MARK = 'o'
const OPEN_REFERENCE = /_o[a-z2-7]{20}$/
const MINTED = /_o?[a-z2-7]{20}$/

export interface ReferenceInput {
  readonly scope: readonly string[]
  readonly key: string
  readonly contentType: string
  readonly content: Uint8Array
  readonly caller?: unknown
}

/** Returns `<slug of the key>_<100 bits of a SHA-256>`, which has at most 64 characters of `a-z`, `0-9` and `_`. */
export async function contentReference({ content, caller, ...input }: ReferenceInput): Promise<string> {
  const digest = new ReferenceDigest(input)
  for (let at = 0; at < content.byteLength; at += HASHED_BYTES) {
    digest.add(content.subarray(at, at + HASHED_BYTES))
    await yieldWhenDue(caller)
  }
  return await digest.reference()
}

export class ReferenceDigest {
  readonly #sha256 = createSha256()
  readonly #slug: string

  constructor({ scope, key, contentType }: Omit<ReferenceInput, 'content' | 'caller'>) {
    this.#slug = slug(key)
    // JSON separates the parts and keeps lone surrogates distinct.
    this.#sha256.update(new TextEncoder().encode(`${JSON.stringify([scope, key, contentType])}\n`))
  }

  add(bytes: Uint8Array): void {
    this.#sha256.update(bytes)
  }

  async reference(): Promise<string> {
    return `${this.#slug}_${base32(await this.#sha256.digest())}`
  }
}

/** Returns a reference of 90 random bits and 2 check characters, for streams whose digest is not known yet. */
export function randomReference(key: string): string {
  const random = base32(randomBytes(DIGEST_BYTES)).slice(0, -CHECK_LENGTH)
  return `${slug(key)}_${random}${checkOf(random)}`
}

/** Whether a reference may be random. The result is also true for one in 1,024 references with a digest. */
export const canBeRandom = (reference: string): boolean =>
  checkOf(reference.slice(-DIGEST_LENGTH, -CHECK_LENGTH)) === reference.slice(-CHECK_LENGTH)

function checkOf(random: string): string {
  let sum = 0
  for (const character of random) sum = (33 * sum + BASE32.indexOf(character)) % 1024
  return `${BASE32.charAt(sum >> 5)}${BASE32.charAt(sum & 31)}`
}

export const hasSlugOf = (reference: string, key: string): boolean =>
  reference.slice(0, -DIGEST_LENGTH) === `${slug(key)}_`

export const openReference = (key: string): string => `${slug(key)}_${OPEN_MARK}${base32(randomBytes(DIGEST_BYTES))}`
export const isOpenReference = (reference: string): boolean => OPEN_REFERENCE.test(reference)
export const isReference = (value: unknown): value is string => typeof value === 'string' && REFERENCE.test(value)
export const isMinted = (value: string): boolean => isReference(value) && MINTED.test(value)

const FENCE_LENGTH = 8

/** Returns the end of a reference, which is the name of the fence around text of one entry. */
export const fenceName = (reference: string): string => reference.slice(-FENCE_LENGTH).toWellFormed()

export function assertReference(value: unknown): asserts value is string {
  if (isReference(value)) return
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_REFERENCE_LENGTH)) : typeof value
  throw new StorageError(
    'invalid-reference',
    `${shown} is not a reference. Copy one exactly from under [Stored references:]; paths and URIs are not accepted.`,
    typeof value === 'string' ? { reference: value.slice(0, MAX_REFERENCE_LENGTH) } : {},
  )
}

function slug(key: string): string {
  const words = key
    .slice(0, 4 * MAX_SLUG_LENGTH)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
  return words.replace(/^_+/, '').slice(0, MAX_SLUG_LENGTH).replace(/_+$/, '') || 'entry'
}

function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5 && text.length < DIGEST_LENGTH) {
      bits -= 5
      text += BASE32.charAt((value >> bits) & 31)
    }
  }
  return text
}
