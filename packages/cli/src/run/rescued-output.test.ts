import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RescuedOutput, TailBuffer } from './rescued-output.ts'

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of source) text += Buffer.from(chunk).toString()
  return text
}

test('gives back what a reader that failed has taken, and then the rest', async () => {
  const output = new RescuedOutput(chunks('a', 'b', 'c'))
  for await (const chunk of output) if (Buffer.from(chunk).toString() === 'b') break
  expect(await collect(output.rest())).toBe('abc')
  expect(output.lost).toBe(0)
})

test('loses no chunk that was asked for and never taken', async () => {
  const output = new RescuedOutput(chunks('a', 'b'))
  void output[Symbol.asyncIterator]().next()
  expect(await collect(output.rest())).toBe('ab')
})

test('counts what it can no longer give back', async () => {
  const megabyte = 'x'.repeat(1_000_000)
  const output = new RescuedOutput(chunks(...Array.from({ length: 10 }, () => megabyte), 'end'))
  let count = 0
  for await (const _ of output) if (++count === 10) break
  const rest = await collect(output.rest())
  expect(output.lost + rest.length).toBe(10_000_003)
  expect(output.lost).toBeGreaterThan(0)
  expect(rest.endsWith('xend')).toBe(true)
})

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
