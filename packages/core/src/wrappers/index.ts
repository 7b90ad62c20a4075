export { compressed, type CompressedOptions } from './compression/compressed.ts'
export { encrypted, type EncryptedOptions, type RotatingKeys } from './encryption/encrypted.ts'
export type { EncryptionKey, NamedEncryptionKey } from './encryption/encryption-key.ts'
export type { FindKey } from './encryption/key-ring.ts'
