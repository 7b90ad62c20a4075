import type { Aes256Gcm } from '@spillway/text/internal/engines'
import type { Primitives } from '../src/wrappers/encryption/key-ring.ts'
import { REAL } from './sealed-attacks.ts'

/** Faulty primitives of encryption. */
export interface FaultyPrimitives extends Primitives {
  readonly name: string
  /** Names of the attacks that are not detected because of the fault. */
  readonly missed: readonly string[]
}

const withNonce =
  (change: (nonce: Uint8Array) => Uint8Array) =>
  (key: Uint8Array): Aes256Gcm => {
    const aes = REAL.createAes256Gcm(key)
    return {
      seal: (nonce, bytes) => aes.seal(change(nonce.slice()), bytes),
      open: (nonce, sealed) => aes.open(change(nonce.slice()), sealed),
    }
  }

export const faultyPrimitives: readonly FaultyPrimitives[] = [
  {
    ...REAL,
    name: 'forgets which segment is the last',
    createAes256Gcm: withNonce((nonce) => nonce.fill(0, 11)),
    missed: ['cuts content after a segment'],
  },
  {
    ...REAL,
    name: 'forgets the numbers of segments',
    createAes256Gcm: withNonce((nonce) => nonce.fill(0, 0, 11)),
    missed: ['swaps segments', 'repeats a segment'],
  },
  {
    ...REAL,
    name: 'forgets whose bytes they are',
    hkdfSha256: (key, salt, info, length) => REAL.hkdfSha256(key, salt, info.subarray(0, 48), length),
    missed: [
      'puts the content of another entry in its place',
      'puts the content of another scope in its place',
      'puts another entry in its place',
      'puts the description of another entry beside it',
    ],
  },
  {
    ...REAL,
    name: 'does not look at tags',
    createAes256Gcm: (key) => {
      const aes = REAL.createAes256Gcm(key)
      return {
        seal: (nonce, bytes) => aes.seal(nonce, bytes),
        open: async (nonce, sealed) =>
          (await aes.open(nonce, sealed)) ?? new Uint8Array(Math.max(0, sealed.length - 16)),
      }
    },
    missed: ['cuts content after a segment', 'swaps segments', 'repeats a segment', 'changes a bit of a segment'],
  },
]
