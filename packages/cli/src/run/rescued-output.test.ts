import { expect, test } from 'vitest'
import { RescuedOutput } from './rescued-output.ts'

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of source) text += Buffer.from(chunk).toString()
  return text
}

test('a rescued output yields the chunks that a failed reader took, then the remaining chunks', async () => {
  const output = new RescuedOutput(chunks('a', 'b', 'c'))
  for await (const chunk of output) if (Buffer.from(chunk).toString() === 'b') break
  expect(await collect(output.rest())).toBe('abc')
  expect(output.lost).toBe(0)
})

test('a rescued output yields chunks that were requested but never taken', async () => {
  const output = new RescuedOutput(chunks('a', 'b'))
  void output[Symbol.asyncIterator]().next()
  expect(await collect(output.rest())).toBe('ab')
})

test('a rescued output counts the bytes that are no longer available', async () => {
  const megabyte = 'x'.repeat(1_000_000)
  const output = new RescuedOutput(chunks(...Array.from({ length: 12 }, () => megabyte), 'end'))
  let count = 0
  for await (const _ of output) if (++count === 12) break
  const rest = await collect(output.rest())
  expect(output.lost + rest.length).toBe(12_000_003)
  expect(output.lost).toBeGreaterThan(0)
  expect(rest.endsWith('xend')).toBe(true)
})

test('a rescued output keeps the end of output that arrives byte by byte', async () => {
  const bytes = Array.from({ length: 20_000 }, (_, index) => String(index % 10))
  const output = new RescuedOutput(chunks(...bytes))
  let count = 0
  for await (const _ of output) if (++count === 15_000) break
  expect(await collect(output.rest())).toBe(bytes.join(''))
})

test('a rescued output keeps a copy of its chunks', async () => {
  const chunk = Buffer.from('a')
  const output = new RescuedOutput(
    (async function* () {
      yield chunk
      yield chunk
    })(),
  )
  for await (const _ of output) break
  chunk.write('b')
  expect(await collect(output.rest())).toBe('ab')
})
