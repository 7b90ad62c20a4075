import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { TAG_BYTES, type Aes256Gcm } from './aes-256-gcm.ts'

/** Make the cipher of a key of 32 bytes. */
export function createAes256Gcm(key: Uint8Array): Aes256Gcm {
  const secret = createSecretKey(key)
  return {
    async seal(nonce, bytes) {
      const cipher = createCipheriv('aes-256-gcm', secret, nonce)
      const sealed = new Uint8Array(bytes.byteLength + TAG_BYTES)
      sealed.set(cipher.update(bytes))
      cipher.final()
      sealed.set(cipher.getAuthTag(), bytes.byteLength)
      return sealed
    },
    async open(nonce, sealed) {
      const length = sealed.byteLength - TAG_BYTES
      if (length < 0) return undefined
      const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(sealed.subarray(length))
      const opened = decipher.update(sealed.subarray(0, length))
      try {
        decipher.final()
      } catch (error) {
        // OpenSSL says no more than that: the tag does not fit.
        if (error instanceof Error) return undefined
        throw error
      }
      return new Uint8Array(opened.buffer, opened.byteOffset, opened.byteLength)
    },
  }
}

/** Derive a key: HKDF with SHA-256 (RFC 5869). */
export async function hkdfSha256(
  key: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  length: number,
): Promise<Uint8Array> {
  return new Uint8Array(hkdfSync('sha256', key, salt, info, length))
}

/** Compute an HMAC with SHA-256 (RFC 2104). */
export async function hmacSha256(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(createHmac('sha256', key).update(bytes).digest())
}
