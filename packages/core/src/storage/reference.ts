import { createSha256, randomBytes } from '@spillway/text/internal'
import { StorageError } from './storage-error.ts'

const MAX_REFERENCE_LENGTH = 64
const MAX_SLUG_LENGTH = 32
/** 20 characters of 5 bits: 100 bits of the digest. */
const DIGEST_LENGTH = 20
const DIGEST_BYTES = 13
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const REFERENCE = /^[a-z0-9_]{1,64}$/

/** What a reference is computed from. */
export interface ReferenceInput {
  readonly scope: readonly string[]
  readonly key: string
  readonly contentType: string
  readonly content: Uint8Array
}

/**
 * Return the reference of some content: `<slug of the key>_<100 bits of a SHA-256>`, at most 64 characters of
 * `a-z`, `0-9` and `_`. Equal input gives the equal reference, which keeps a replayed conversation byte-identical.
 */
export async function contentReference(input: ReferenceInput): Promise<string> {
  const sha256 = createSha256()
  // JSON keeps the parts apart and lone surrogates different; its text ends before the content starts.
  sha256.update(new TextEncoder().encode(`${JSON.stringify([input.scope, input.key, input.contentType])}\n`))
  sha256.update(input.content)
  return `${slug(input.key)}_${base32(await sha256.digest())}`
}

/** Return a random reference, for a stream whose digest is not known before its end. */
export const randomReference = (key: string): string => `${slug(key)}_${base32(randomBytes(DIGEST_BYTES))}`

/** Tell whether a text could be a reference; whether it is one only the storage knows. */
export const isReference = (value: unknown): value is string => typeof value === 'string' && REFERENCE.test(value)

/** Refuse with `invalid-reference` what cannot be a reference, such as a path or a URI. */
export function assertReference(value: unknown): asserts value is string {
  if (isReference(value)) return
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_REFERENCE_LENGTH)) : `a ${typeof value}`
  throw new StorageError(
    'invalid-reference',
    `${shown} is not a reference. Copy one exactly as it stands under [Stored references:]; paths and URIs are not accepted.`,
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
