import fc from 'fast-check'
import { expect, test } from 'vitest'
import { continued, gatherContent } from './entry-writer.ts'

async function* streamOf(chunks: readonly Uint8Array[], ended?: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } finally {
    ended?.()
  }
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const collected: Uint8Array[] = []
  for await (const chunk of chunks) collected.push(chunk)
  return Buffer.concat(collected)
}

test('content is read back unchanged, whole or from its start, and is one block if it is within the limit', async () => {
  const limit = fc.integer({ min: 0, max: 60 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 30 })), limit, async (chunks, copied) => {
      const gathered = await gatherContent(streamOf(chunks), { copied, whole: copied })
      const expected = Buffer.concat(chunks)
      if ('content' in gathered) expect(Buffer.from(gathered.content)).toEqual(expected)
      else expect(await joined(continued(gathered.begun, gathered.rest))).toEqual(expected)
      expect('content' in gathered).toBe(expected.length <= copied)
    }),
  )
})

test('adjacent chunks of one buffer are not copied', async () => {
  const memory = new Uint8Array(100)
  const chunks = [memory.subarray(0, 40), memory.subarray(40, 41), memory.subarray(41)]
  const gathered = await gatherContent(streamOf(chunks), { copied: 10, whole: 100 })
  expect('content' in gathered && gathered.content.buffer).toBe(memory.buffer)
  expect('content' in gathered && gathered.content.length).toBe(100)
})

test('separate chunks of one buffer are copied', async () => {
  const memory = Uint8Array.of(1, 2, 3, 4)
  const gathered = await gatherContent(streamOf([memory.subarray(2), memory.subarray(0, 2)]), { copied: 10, whole: 10 })
  expect(gathered).toEqual({ content: Uint8Array.of(3, 4, 1, 2) })
})

test('the stream ends if the consumer of its first part stops', async () => {
  let ended = false
  const chunks = Array.from({ length: 5 }, () => new Uint8Array(10))
  const gathered = await gatherContent(
    streamOf(chunks, () => (ended = true)),
    { copied: 15, whole: 15 },
  )
  if ('content' in gathered) throw new Error('it fits')
  for await (const chunk of continued(gathered.begun, gathered.rest)) {
    expect(chunk).toHaveLength(10)
    break
  }
  expect(ended).toBe(true)
})
