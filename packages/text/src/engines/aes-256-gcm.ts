/** AES-256-GCM with one key (NIST SP 800-38D). Nonces have 12 bytes. Encrypted bytes end with a tag of 16 bytes. */
export interface Aes256Gcm {
  /** Encrypt bytes and append the tag. Never use the same nonce for different bytes. */
  seal(nonce: Uint8Array, bytes: Uint8Array): Promise<Uint8Array>
  /** Decrypt a result of {@link Aes256Gcm.seal}. Returns `undefined` for any other bytes. */
  open(nonce: Uint8Array, sealed: Uint8Array): Promise<Uint8Array | undefined>
}

export const TAG_BYTES = 16
