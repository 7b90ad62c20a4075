import { expect, test } from 'vitest'
import { PassThrough } from 'node:stream'
import { OutputReader } from './start-command.ts'

async function collect(reader: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of reader) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('two streams are merged to the end of both, in the order of their data', async () => {
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

test('a merged stream returns its data so far when it is stopped, and releases its sources', async () => {
  const stream = new PassThrough()
  const reader = new OutputReader([stream])
  stream.write('arrived')
  reader.stop()
  expect(await collect(reader)).toBe('arrived')
  expect(stream.destroyed).toBe(true)
})

test('a merged stream passes on a failure', async () => {
  const stream = new PassThrough()
  const text = collect(new OutputReader([stream]))
  stream.destroy(new Error('broken pipe'))
  await expect(text).rejects.toThrow('broken pipe')
})
