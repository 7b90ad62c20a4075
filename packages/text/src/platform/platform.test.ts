import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHash } from 'node:crypto'
import * as node from './node.ts'
import * as web from './web.ts'

describe.each([
  ['node', node],
  ['web', web],
])('the %s platform', (_name, platform) => {
  it('computes the SHA-256 of all chunks together, even if their buffer is reused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 100 })), async (chunks) => {
        const sha256 = platform.createSha256()
        for (const chunk of chunks) {
          const buffer = chunk.slice()
          sha256.update(buffer)
          buffer.fill(0)
        }
        const expected = createHash('sha256')
        for (const chunk of chunks) expected.update(chunk)
        expect(await sha256.digest()).toEqual(new Uint8Array(expected.digest()))
      }),
    )
  })

  it('returns random bytes of any length, different each time', () => {
    for (const length of [0, 1, 16, 65_536, 65_537, 200_000]) {
      expect(platform.randomBytes(length)).toHaveLength(length)
    }
    expect(platform.randomBytes(16)).not.toEqual(platform.randomBytes(16))
    expect(platform.randomBytes(200_000).subarray(-16)).not.toEqual(new Uint8Array(16))
  })

  it('encodes and decodes Base64 of any length, even from a view of a larger buffer', () => {
    for (const length of [0, 1, 2, 3, 8_191, 8_192, 8_193, 100_000]) {
      const bytes = node.randomBytes(length + 10).subarray(7, length + 7)
      const base64 = platform.encodeBase64(bytes)
      expect(base64).toBe(Buffer.from(bytes).toString('base64'))
      expect(platform.decodeBase64(base64)).toEqual(new Uint8Array(bytes))
    }
    expect(platform.decodeBase64('_-8')).toEqual(new Uint8Array([0xff, 0xef]))
  })

  it('counts the bytes of a text and writes its UTF-16 units, even lone surrogates', () => {
    for (const text of ['', 'ASCII', 'Zoë', '東京 🚚', '\ud83d lone \udc00', 'x'.repeat(1_000)]) {
      const units = new Uint16Array(text.length + 1).fill(7)
      platform.unitsWriter(units)(text)
      expect([...units]).toEqual([...text.split('').map((unit) => unit.charCodeAt(0)), 7])
      expect(platform.utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    }
  })

  it('decodes a part of the bytes, keeps a byte order mark, and gives U+FFFD for invalid bytes', () => {
    const bytes = new Uint8Array([0x41, 0xef, 0xbb, 0xbf, 0xc3, 0xa9, 0xff, 0x42])
    expect(platform.utf8Text(bytes, 1, 7)).toBe('\uFEFFé\uFFFD')
  })
})

it('exports the same names on every platform', () => {
  expect(Object.keys(web).sort()).toEqual(Object.keys(node).sort())
})

it('timers run while other work yields to the event loop', async () => {
  const fired = new Promise((resolve) => setTimeout(resolve, 0, 'timer'))
  const turns = async (): Promise<string> => {
    for (let turn = 0; turn < 1_000_000; turn++) await node.yieldToEventLoop()
    return 'turns'
  }
  expect(await Promise.race([fired, turns()])).toBe('timer')
})
