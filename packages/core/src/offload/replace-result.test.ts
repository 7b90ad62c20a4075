import { expect, test } from 'vitest'
import type { Storage } from '../storage/storage.ts'
import { ContextOffloader } from './context-offloader.ts'

/** A storage with only the two required methods, and its contents. */
function twoMethodStorage(): { storage: Storage; contents: Map<string, Uint8Array> } {
  const contents = new Map<string, Uint8Array>()
  const storage: Storage = {
    store: async (key, content) => {
      contents.set(key, new Uint8Array(content))
      return key
    },
    retrieve: async (reference) => ({
      content: contents.get(reference) ?? new Uint8Array(),
      contentType: 'text/plain',
    }),
  }
  return { storage, contents }
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const log = Array.from({ length: 20_000 }, (_, line) => `line ${line} 🚚 of the log`).join('\n')

const request = { toolName: 'run', toolCallId: 'run_1' }

test('a large stream is stored completely and replaced', async () => {
  const { storage, contents } = twoMethodStorage()
  const offloader = new ContextOffloader({ storage })
  const outcome = await offloader.offloadStream({ ...request, chunks: pieces(encode(log), 1_000) })
  expect(outcome).toMatchObject({ status: 'offloaded', stored: [{ reference: 'run_1_0', contentType: 'text/plain' }] })
  expect(new TextDecoder().decode(contents.get('run_1_0'))).toBe(log)
})

test('the replacement of a stream does not depend on its chunks', async () => {
  const texts: string[] = []
  for (const size of [777, 65_536, 10_000_000]) {
    const { storage } = twoMethodStorage()
    const outcome = await new ContextOffloader({ storage }).offloadStream({
      ...request,
      chunks: pieces(encode(log), size),
    })
    const [block] = outcome.content
    texts.push(block?.type === 'text' ? block.text : '')
  }
  expect(texts[0]).toMatch(/^\[Offloaded: /)
  expect(new Set(texts).size).toBe(1)
})

test('the preview of a stream equals the preview of the same bytes as a text', async () => {
  const items = Array.from({ length: 1_500 }, (_, item) => `item-${item}`)
  const json = JSON.stringify({ p: '', items, total: items.length })
  for (const text of [log, json, `\ufeff${json}`]) {
    const previews: string[] = []
    for (const size of [undefined, 4_096]) {
      const offloader = new ContextOffloader({ storage: twoMethodStorage().storage })
      const outcome =
        size === undefined
          ? await offloader.offload({ ...request, content: [{ type: 'text', text }] })
          : await offloader.offloadStream({ ...request, chunks: pieces(encode(text), size) })
      const [block] = outcome.content
      previews.push(block?.type === 'text' ? block.text.slice(block.text.indexOf('<<<')) : '')
    }
    expect(previews[0]).toContain('untrusted content')
    expect(previews[1]).toBe(previews[0])
  }
})

test('a small stream is returned as text and not stored', async () => {
  const { storage, contents } = twoMethodStorage()
  const offloader = new ContextOffloader({ storage })
  const outcome = await offloader.offloadStream({ ...request, chunks: pieces(encode('\uFEFFa few words\r\n'), 3) })
  expect(outcome).toMatchObject({ status: 'inline', content: [{ type: 'text', text: '\uFEFFa few words\r\n' }] })
  const empty = await offloader.offloadStream({ ...request, chunks: pieces(encode(''), 3) })
  expect(empty).toMatchObject({ status: 'inline', content: [{ type: 'text', text: '' }] })
  expect(contents.size).toBe(0)
})

test('a short stream is returned unchanged if the replacement would not be smaller', async () => {
  const { storage, contents } = twoMethodStorage()
  const removable: Storage = { ...storage, delete: async (reference) => void contents.delete(reference) }
  const offloader = new ContextOffloader({ storage: removable, maxResultTokens: 5 })
  const outcome = await offloader.offloadStream({ ...request, chunks: pieces(encode('a few words more than five'), 3) })
  expect(outcome).toMatchObject({ status: 'inline', reason: 'not-smaller' })
  expect(outcome.content).toEqual([{ type: 'text', text: 'a few words more than five' }])
  expect(contents.size).toBe(0)
})

test('a small binary stream is returned unchanged', async () => {
  const { storage } = twoMethodStorage()
  const bytes = Uint8Array.from([0x68, 0x69, 0xff, 0xfe])
  const outcome = await new ContextOffloader({ storage }).offloadStream({ ...request, chunks: pieces(bytes, 1) })
  expect(outcome.content).toEqual([{ type: 'document', mediaType: 'application/octet-stream', data: bytes }])
})

test('a large binary stream is stored under its type, with a placeholder as its preview', async () => {
  const { storage, contents } = twoMethodStorage()
  const bytes = new Uint8Array(100_000)
  const outcome = await new ContextOffloader({ storage }).offloadStream({ ...request, chunks: pieces(bytes, 4_096) })
  expect(outcome).toMatchObject({
    status: 'offloaded',
    stored: [{ contentType: 'application/octet-stream', size: 100_000 }],
  })
  expect(outcome.content).toMatchObject([{ text: expect.stringContaining('[document: octet-stream, 100,000 bytes]') }])
  expect(contents.get('run_1_0')).toEqual(bytes)
})

test('a source that reuses its buffer loses no bytes', async () => {
  const { storage, contents } = twoMethodStorage()
  const bytes = encode(log)
  const chunks = (async function* () {
    const buffer = new Uint8Array(1_000)
    for (let at = 0; at < bytes.length; at += buffer.length) {
      const part = bytes.subarray(at, at + buffer.length)
      buffer.set(part)
      yield buffer.subarray(0, part.length)
    }
  })()
  await new ContextOffloader({ storage }).offloadStream({ ...request, chunks })
  expect(new TextDecoder().decode(contents.get('run_1_0'))).toBe(log)
})

test('isError is called after the stream has ended', async () => {
  const { storage } = twoMethodStorage()
  let ended = false
  const chunks = (async function* () {
    yield encode(log)
    ended = true
  })()
  const outcome = await new ContextOffloader({ storage }).offloadStream({ ...request, chunks, isError: () => ended })
  expect(outcome.content).toMatchObject([{ text: expect.stringContaining('The tool failed') }])
})

test('an error of the stream rejects the offload', async () => {
  const { storage } = twoMethodStorage()
  const chunks = (async function* () {
    yield encode(log)
    throw new Error('pipe broke')
  })()
  await expect(new ContextOffloader({ storage }).offloadStream({ ...request, chunks })).rejects.toThrow('pipe broke')
})

test('an aborted signal ends the offload of a stream, even if the source hangs', async () => {
  const { storage } = twoMethodStorage()
  for (const first of ['', log]) {
    const abort = new AbortController()
    const chunks = (async function* () {
      yield encode(first)
      abort.abort()
      await new Promise(() => {})
    })()
    const { signal } = abort
    await expect(new ContextOffloader({ storage }).offloadStream({ ...request, chunks, signal })).rejects.toMatchObject(
      {
        code: 'aborted',
      },
    )
  }
})

test.each([
  [{ toolName: undefined }, 'toolName must be a string'],
  [{ toolCallId: 5 }, 'toolCallId must be a string'],
  [{ chunks: undefined }, 'chunks must be an async iterable'],
  [{ chunks: [encode('a')] }, 'chunks must be an async iterable'],
  [{ contentType: 'text' }, 'contentType must be a MIME type'],
  [{ isError: true }, 'isError must be a function'],
  [{ mediaType: 'text/plain' }, 'Unknown option "mediaType". Known: toolName, toolCallId, input'],
  [{ signal: 5 }, 'signal must be an AbortSignal'],
  [
    {
      chunks: (async function* () {
        yield 'text'
      })(),
    },
    'content must be a Uint8Array',
  ],
])('an invalid stream (%#) is refused with the name of its fault', async (wrong, message) => {
  const { storage } = twoMethodStorage()
  const whole = { ...request, chunks: pieces(encode(log), 10), ...wrong } as never
  const refused = new ContextOffloader({ storage }).offloadStream(whole)
  await expect(refused).rejects.toThrow(TypeError)
  await expect(refused).rejects.toThrow(message)
})
