import { TAG_BYTES, type Aes256Gcm } from './aes-256-gcm.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Make the cipher of a key of 32 bytes. */
export function createAes256Gcm(key: Uint8Array): Aes256Gcm {
  const imported = crypto.subtle.importKey('raw', key as Bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const algorithm = (nonce: Uint8Array): AesGcmParams => ({
    name: 'AES-GCM',
    iv: nonce as Bytes,
    tagLength: TAG_BYTES * 8,
  })
  return {
    async seal(nonce, bytes) {
      return new Uint8Array(await crypto.subtle.encrypt(algorithm(nonce), await imported, bytes as Bytes))
    },
    async open(nonce, sealed) {
      if (sealed.byteLength < TAG_BYTES) return undefined
      try {
        return new Uint8Array(await crypto.subtle.decrypt(algorithm(nonce), await imported, sealed as Bytes))
      } catch (error) {
        if (error instanceof DOMException && error.name === 'OperationError') return undefined
        throw error
      }
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
  const imported = await crypto.subtle.importKey('raw', key as Bytes, 'HKDF', false, ['deriveBits'])
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: salt as Bytes, info: info as Bytes }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, imported, length * 8))
}

/** Compute an HMAC with SHA-256 (RFC 2104). */
export async function hmacSha256(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key as Bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes as Bytes))
}
