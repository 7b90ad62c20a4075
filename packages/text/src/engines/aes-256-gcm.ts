/** AES-256-GCM under one key (NIST SP 800-38D), with nonces of 12 bytes and tags of 16 at the end. */
export interface Aes256Gcm {
  /** Encrypt bytes and append their tag. A nonce must never come twice with different bytes. */
  seal(nonce: Uint8Array, bytes: Uint8Array): Promise<Uint8Array>
  /** Decrypt what {@link Aes256Gcm.seal} made; `undefined` for anything else. */
  open(nonce: Uint8Array, sealed: Uint8Array): Promise<Uint8Array | undefined>
}

/** Bytes that sealing adds. */
export const TAG_BYTES = 16
