import { LINE_BLOCK_BYTES } from '@spillway/text/internal/lines'
import * as fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  ContentCache,
  contentCache,
  DEFAULT_CONTENT_CACHE_BYTES,
  MAX_WHOLE_BYTES,
  setContentCacheBytes,
  type CachePiece,
} from './content-cache.ts'
import { CachedContents, type CachedContent, type ContentInfo, type LoadBytes } from './opened-content.ts'

/** Content whose bytes depend on their positions. */
function contentOf(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 1) bytes[at] = (at * 31 + (at >> 8) * 7 + (at >> 16)) & 255
  return bytes
}

const large = contentOf(MAX_WHOLE_BYTES + 300_000)

class Backend {
  readonly reads: string[] = []
  readonly #content: Uint8Array

  constructor(content: Uint8Array) {
    this.#content = content
  }

  readonly load: LoadBytes = async ({ offset, length }, isShared) => {
    this.reads.push(`${offset}+${length}${isShared ? '' : ' alone'}`)
    await Promise.resolve()
    return this.#content.slice(offset, offset + length)
  }
}

const infoOf = (content: Uint8Array): ContentInfo => ({ contentType: 'text/plain', size: content.length })

function remember(
  content: Uint8Array,
  cache: ContentCache = new ContentCache(DEFAULT_CONTENT_CACHE_BYTES),
): {
  cached: CachedContent<ContentInfo>
  contents: CachedContents<ContentInfo>
  backend: Backend
  cache: ContentCache
} {
  const contents = new CachedContents<ContentInfo>(cache)
  return { cached: contents.add('a', infoOf(content), 0, 0), contents, backend: new Backend(content), cache }
}

describe('CachedContent', () => {
  test('returns the bytes of the backend after any earlier reads and with any cache size', async () => {
    const read = fc.tuple(fc.nat(large.length - 1), fc.oneof(fc.nat(300), fc.nat(200_000), fc.nat(1_000_000)))
    const content = fc.constantFrom(contentOf(1), contentOf(200_000), contentOf(1_000_000), large)
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.array(read, { maxLength: 12 }),
        fc.constantFrom(0, 70_000, 300_000, DEFAULT_CONTENT_CACHE_BYTES),
        async (bytes, reads, budget) => {
          const { cached, backend, cache } = remember(bytes, new ContentCache(budget))
          const results = reads.map(async ([at, length]) => {
            const offset = at % bytes.length
            const end = Math.min(bytes.length, offset + length)
            const found = await cached.read(offset, end, backend.load)
            return equal(found, bytes, offset, end)
          })
          expect(await Promise.all(results)).not.toContain(false)
          expect(cache.bytes).toBeLessThanOrEqual(budget)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('reads small content completely and once', async () => {
    const content = contentOf(1_000_000)
    const { cached, backend } = remember(content)
    await Promise.all([cached.read(0, 600_000, backend.load), cached.read(5, 700_000, backend.load)])
    await cached.read(999_999, 1_000_000, backend.load)
    expect(backend.reads).toEqual(['0+1000000'])
  })

  test('reads adjacent blocks in one request, and each block once', async () => {
    const { cached, backend } = remember(large)
    const at = 10 * LINE_BLOCK_BYTES
    await cached.read(at + 5, at + 10, backend.load)
    await Promise.all([
      cached.read(at - 5, at + 5 + 2 * LINE_BLOCK_BYTES, backend.load),
      cached.read(at + LINE_BLOCK_BYTES, at + LINE_BLOCK_BYTES + 9, backend.load),
    ])
    expect(backend.reads).toEqual([
      `${at}+${LINE_BLOCK_BYTES}`,
      `${at - LINE_BLOCK_BYTES}+${LINE_BLOCK_BYTES}`,
      `${at + LINE_BLOCK_BYTES}+${2 * LINE_BLOCK_BYTES}`,
    ])
    await cached.read(at - LINE_BLOCK_BYTES, at + 3 * LINE_BLOCK_BYTES, backend.load)
    expect(backend.reads).toHaveLength(3)
  })

  test('does not cache large content that is read from end to end', async () => {
    const { cached, backend, cache } = remember(large)
    const before = cache.bytes
    for (let at = 0; at + 524_288 <= large.length; at += 524_288) await cached.read(at, at + 524_288, backend.load)
    expect(cache.bytes).toBe(before)
    expect(backend.reads[0]).toBe('0+524288 alone')
  })

  test('retries after a failed read', async () => {
    const { cached, backend } = remember(contentOf(1_000))
    await expect(cached.read(0, 1_000, () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(await cached.read(0, 1_000, backend.load)).toEqual(contentOf(1_000))
  })

  test('does not keep a large buffer in memory for a part of the buffer', async () => {
    const { cached } = remember(contentOf(1_000))
    const memory = new Uint8Array(1_000_000)
    const found = await cached.read(0, 1_000, async () => memory.subarray(0, 1_000))
    expect(found.buffer.byteLength).toBe(1_000)
  })
})

describe('CachedContents', () => {
  test('forgets removed content, even while its bytes are being read', async () => {
    const { cached, contents, backend, cache } = remember(contentOf(1_000))
    const reading = cached.read(0, 1_000, backend.load)
    contents.remove('a')
    await reading
    expect([contents.find('a'), cache.bytes]).toEqual([undefined, 0])
    await cached.read(0, 1_000, backend.load)
    expect(backend.reads).toEqual(['0+1000', '0+1000 alone'])
  })

  test('does not cache content that may have been removed since the backend described it', () => {
    const contents = new CachedContents<ContentInfo>(new ContentCache(1_000_000))
    const { removals } = contents
    contents.remove('a')
    const content = contents.add('a', infoOf(contentOf(10)), 0, removals)
    expect([content.isKept, contents.find('a')]).toEqual([false, undefined])
  })

  test('shares content only between equal descriptions', () => {
    const { cached, contents } = remember(contentOf(1_000))
    expect(contents.add('a', infoOf(contentOf(1_000)), 5, 0)).toBe(cached)
    expect(cached.checkedAt).toBe(5)
    expect(contents.add('a', infoOf(contentOf(999)), 5, 0)).not.toBe(cached)
    expect(cached.isKept).toBe(false)
  })

  test('forgets descriptions of content if there is no space for them', () => {
    const cache = new ContentCache(3_000)
    const { contents } = remember(contentOf(10), cache)
    for (const key of ['b', 'c', 'd']) contents.add(key, infoOf(contentOf(10)), 0, 0)
    expect(contents.find('a')).toBeUndefined()
    expect(contents.find('d')).toBeDefined()
    contents.clear()
    expect([contents.find('d'), cache.bytes]).toEqual([undefined, 0])
  })
})

function equal(found: Uint8Array, bytes: Uint8Array, offset: number, end: number): boolean {
  return found.length === end - offset && found.every((byte, index) => byte === bytes[offset + index])
}

describe('content cache', () => {
  afterEach(() => setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES))

  function pieces(
    cache: ContentCache,
    ...sizes: readonly number[]
  ): { readonly all: CachePiece[]; forgotten: number[] } {
    const forgotten: number[] = []
    const all = sizes.map((bytes, index): CachePiece => ({ bytes, forget: () => void forgotten.push(index) }))
    for (const piece of all) cache.add(piece)
    return { all, forgotten }
  }

  describe('ContentCache', () => {
    test('forgets the least recently used content once it is full', () => {
      const cache = new ContentCache(100)
      const { all, forgotten } = pieces(cache, 40, 30, 20)
      cache.use(all[0]!)
      cache.add({ bytes: 40, forget: () => undefined })
      expect(forgotten).toEqual([1])
      expect(cache.bytes).toBe(100)
    })

    test('never exceeds its budget, even with one block, and shrinks to a smaller budget', () => {
      const cache = new ContentCache(100)
      const { forgotten } = pieces(cache, 101, 60, 40)
      expect([forgotten, cache.bytes]).toEqual([[0], 100])
      cache.resize(50)
      expect([forgotten, cache.bytes]).toEqual([[0, 1], 40])
      cache.resize(0)
      expect([forgotten, cache.bytes]).toEqual([[0, 1, 2], 0])
    })

    test('has space again once content is released', () => {
      const cache = new ContentCache(100)
      const { all, forgotten } = pieces(cache, 60)
      cache.release(all[0]!)
      cache.release(all[0]!)
      cache.use(all[0]!)
      expect([forgotten, cache.bytes]).toEqual([[], 0])
    })
  })

  describe('setContentCacheBytes', () => {
    test('sets the budget of the process', () => {
      setContentCacheBytes(1_000)
      expect(contentCache.maxBytes).toBe(1_000)
    })

    test.each([-1, Number.NaN, '5', undefined, null])('refuses %s', (bytes) => {
      expect(() => setContentCacheBytes(bytes as never)).toThrow(TypeError)
    })
  })
})
