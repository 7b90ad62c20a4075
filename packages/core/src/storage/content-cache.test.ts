import { afterEach, describe, expect, test } from 'vitest'
import {
  contentCache,
  ContentCache,
  DEFAULT_CONTENT_CACHE_BYTES,
  setContentCacheBytes,
  type CachePiece,
} from './content-cache.ts'

afterEach(() => setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES))

function pieces(cache: ContentCache, ...sizes: readonly number[]): { readonly all: CachePiece[]; forgotten: number[] } {
  const forgotten: number[] = []
  const all = sizes.map((bytes, index): CachePiece => ({ bytes, forget: () => void forgotten.push(index) }))
  for (const piece of all) cache.add(piece)
  return { all, forgotten }
}

describe('ContentCache', () => {
  test('forgets what was used least recently once there is no room', () => {
    const cache = new ContentCache(100)
    const { all, forgotten } = pieces(cache, 40, 30, 20)
    cache.use(all[0]!)
    cache.add({ bytes: 40, forget: () => undefined })
    expect(forgotten).toEqual([1])
    expect(cache.bytes).toBe(100)
  })

  test('never has more than its budget, also of one piece, and forgets what is beyond a smaller one', () => {
    const cache = new ContentCache(100)
    const { forgotten } = pieces(cache, 101, 60, 40)
    expect([forgotten, cache.bytes]).toEqual([[0], 100])
    cache.resize(50)
    expect([forgotten, cache.bytes]).toEqual([[0, 1], 40])
    cache.resize(0)
    expect([forgotten, cache.bytes]).toEqual([[0, 1, 2], 0])
  })

  test('has room again for what is released, once', () => {
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
