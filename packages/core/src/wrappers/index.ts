export { compressed, type CompressedOptions } from './compression/compressed.ts'
export { encrypted, type EncryptedOptions, type RotatingKeys } from './encryption/encrypted.ts'
export type { EncryptionKey, FindKey, NamedEncryptionKey } from './encryption/key-ring.ts'
