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
