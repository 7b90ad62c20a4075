/** AES-256-GCM under one key (NIST SP 800-38D), with nonces of 12 bytes and a tag of 16 bytes at the end. */
export interface Aes256Gcm {
  /** Encrypt bytes and append the tag. A nonce must not be used twice with different bytes. */
  seal(nonce: Uint8Array, bytes: Uint8Array): Promise<Uint8Array>
  /** Decrypt a result of {@link Aes256Gcm.seal}. Returns `undefined` for anything else. */
  open(nonce: Uint8Array, sealed: Uint8Array): Promise<Uint8Array | undefined>
}

export const TAG_BYTES = 16
