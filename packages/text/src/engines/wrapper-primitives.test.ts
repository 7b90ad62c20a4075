import { isFull } from '@spillway-internal/test-run'
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as node from './node.ts'
import * as web from './web.ts'

const content = fc.uint8Array({ maxLength: 5_000 })
const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

describe.each([
  ['node', node],
  ['web', web],
])('the %s platform', (_name, platform) => {
  it('encrypts the test vectors of NIST', async () => {
    const aes = platform.createAes256Gcm(new Uint8Array(32))
    const sealed = 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919'
    expect(await aes.seal(new Uint8Array(12), new Uint8Array(16))).toEqual(hex(sealed))
    expect(await aes.seal(new Uint8Array(12), new Uint8Array(0))).toEqual(hex('530f8afbc74536b9a963b4f1c4cb738b'))
    expect(await aes.open(new Uint8Array(12), hex(sealed))).toEqual(new Uint8Array(16))
  })

  it('derives keys as in RFC 5869, and computes HMAC as in RFC 4231', async () => {
    const derived = '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865'
    const salt = hex('000102030405060708090a0b0c')
    const info = hex('f0f1f2f3f4f5f6f7f8f9')
    expect(await platform.hkdfSha256(new Uint8Array(22).fill(11), salt, info, 42)).toEqual(hex(derived))
    expect(await platform.hmacSha256(ascii('Jefe'), ascii('what do ya want for nothing?'))).toEqual(
      hex('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'),
    )
  })

  it('does not decrypt bytes that were cut, changed, or encrypted with another key or nonce', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 100 }),
        bytes(32),
        bytes(12),
        fc.nat(),
        async (one, key, nonce, at) => {
          const aes = platform.createAes256Gcm(key)
          const sealed = await aes.seal(nonce, one)
          const changed = sealed.slice()
          changed[at % sealed.length]! ^= 1 << (at % 8)
          expect(await aes.open(nonce, changed)).toBeUndefined()
          expect(await aes.open(nonce, sealed.subarray(0, at % sealed.length))).toBeUndefined()
          const other = nonce.map((byte) => byte ^ 1)
          expect(await aes.open(other, sealed)).toBeUndefined()
          expect(await platform.createAes256Gcm(key.map((byte) => byte ^ 1)).open(nonce, sealed)).toBeUndefined()
        },
      ),
      { numRuns: 20 },
    )
  })

  it('does not decompress damaged content, or more bytes than expected', async () => {
    // The first size is decompressed on this thread, the second on another thread.
    for (const size of [50_000, 1_000_000]) {
      const bomb = await platform.gzip.compress(new Uint8Array(size), 6)
      expect(await platform.gzip.decompress(bomb, size)).toHaveLength(size)
      expect(await platform.gzip.decompress(bomb, size - 1)).toBeUndefined()
      expect(await platform.gzip.decompress(bomb.subarray(0, 50), size)).toBeUndefined()
      expect(await platform.gzip.decompress(new Uint8Array(100), size)).toBeUndefined()
      expect(await platform.gzip.decompress(bomb.with(bomb.length - 6, 7), size)).toBeUndefined()
    }
  })
})

it.each(isFull ? [2 ** 40, Number.MAX_SAFE_INTEGER] : [Number.MAX_SAFE_INTEGER])(
  'decompression rejects a declared size of %d bytes, which exceeds the memory',
  async (size) => {
    const one = await node.gzip.compress(new Uint8Array(100), 3)
    expect(await node.gzip.decompress(one, size)).toBeUndefined()
    const { zstd } = node
    if (zstd === undefined) return
    expect(await zstd.decompress(await zstd.compress(new Uint8Array(100), 3), size)).toBeUndefined()
  },
)

it('each platform decompresses data that the other platform compressed', async () => {
  await fc.assert(
    fc.asyncProperty(content, async (one) => {
      expect(await web.gzip.decompress(await node.gzip.compress(one, 3), one.length)).toEqual(one)
      expect(await node.gzip.decompress(await web.gzip.compress(one, 3), one.length)).toEqual(one)
    }),
    { numRuns: 20 },
  )
})

it("both platforms encrypt to the same bytes, and decrypt the other platform's bytes", async () => {
  await fc.assert(
    fc.asyncProperty(content, bytes(32), bytes(12), async (one, key, nonce) => {
      const sealed = await node.createAes256Gcm(key).seal(nonce, one)
      expect(await web.createAes256Gcm(key).seal(nonce, one)).toEqual(sealed)
      expect(await web.createAes256Gcm(key).open(nonce, sealed)).toEqual(one)
      expect(await node.createAes256Gcm(key).open(nonce, sealed)).toEqual(one)
      const info = one.slice(0, 1_024)
      expect(await web.hkdfSha256(key, nonce, info, 40)).toEqual(await node.hkdfSha256(key, nonce, info, 40))
    }),
    { numRuns: 20 },
  )
})

describe.skipIf(node.zstd === undefined)('Zstandard', () => {
  it('restores its content, and rejects damaged content and content over the limit', async () => {
    const { zstd } = node
    await fc.assert(
      fc.asyncProperty(content, async (one) => {
        expect(await zstd!.decompress(await zstd!.compress(one, 3), one.length)).toEqual(one)
      }),
      { numRuns: 20 },
    )
    for (const size of [50_000, 1_000_000]) {
      const bomb = await zstd!.compress(new Uint8Array(size), 3)
      expect(await zstd!.decompress(bomb, size)).toHaveLength(size)
      expect(await zstd!.decompress(bomb, size - 1)).toBeUndefined()
      // Before Node.js 24, truncated data gives the start of the content.
      const cut = await zstd!.decompress(bomb.subarray(0, bomb.length - 6), size)
      expect(cut === undefined || cut.length < size).toBe(true)
      expect(await zstd!.decompress(bomb.with(bomb.length - 1, bomb.at(-1)! ^ 1), size)).toBeUndefined()
    }
  })
})
