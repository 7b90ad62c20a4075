import { expect, test } from 'vitest'
import { PassThrough } from 'node:stream'
import { OutputReader } from './start-command.ts'

async function collect(reader: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of reader) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('two streams are merged in the order of their data, until both end', async () => {
  const [one, two] = [new PassThrough(), new PassThrough()]
  const text = collect(new OutputReader([one, two]))
  for (const [stream, word] of [
    [one, 'a'],
    [two, 'b'],
    [one, 'c'],
  ] as const) {
    stream.write(word)
    await new Promise((resolve) => setImmediate(resolve))
  }
  one.end()
  two.end('d')
  expect(await text).toBe('abcd')
})

test('a merged stream that is stopped returns the data that has arrived, and releases its sources', async () => {
  const stream = new PassThrough()
  const reader = new OutputReader([stream])
  stream.write('arrived')
  reader.stop()
  expect(await collect(reader)).toBe('arrived')
  expect(stream.destroyed).toBe(true)
})

test('a merged stream fails if one of its sources fails', async () => {
  const stream = new PassThrough()
  const text = collect(new OutputReader([stream]))
  stream.destroy(new Error('broken pipe'))
  await expect(text).rejects.toThrow('broken pipe')
})
