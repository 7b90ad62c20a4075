import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TailBuffer } from './tail-buffer.ts'

test('keeps the last bytes of whatever comes in whatever pieces, and counts the others', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 50 }))
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 100 }), (chunks, capacity) => {
      const buffer = new TailBuffer(capacity)
      for (const chunk of chunks) buffer.push(chunk)
      const all = Buffer.concat(chunks)
      expect(Buffer.from(buffer.read())).toEqual(all.subarray(Math.max(0, all.length - capacity)))
      expect(buffer.dropped).toBe(Math.max(0, all.length - capacity))
    }),
  )
})

test('grows beyond what it starts with', () => {
  const buffer = new TailBuffer(1_000_000)
  const all = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251))
  for (let at = 0; at < all.length; at += 70_001) buffer.push(all.subarray(at, at + 70_001))
  expect(Buffer.from(buffer.read()).equals(all)).toBe(true)
  expect(buffer.dropped).toBe(0)
})

test('keeps a copy', () => {
  const buffer = new TailBuffer(10)
  const chunk = new Uint8Array([1])
  buffer.push(chunk)
  chunk[0] = 2
  expect([...buffer.read()]).toEqual([1])
})
