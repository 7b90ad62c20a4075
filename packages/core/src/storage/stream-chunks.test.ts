import { describe, expect, test } from 'vitest'
import { SourceError } from './guard.ts'
import { seenChunks, sourceChunks } from './stream-chunks.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const same = (chunk: Uint8Array): Uint8Array => chunk

async function texts(chunks: AsyncIterable<Uint8Array>): Promise<string[]> {
  const seen: string[] = []
  for await (const chunk of chunks) seen.push(new TextDecoder().decode(chunk))
  return seen
}

/** A stream that notes how often it was asked for more and whether it was told to end. */
class Source implements AsyncIterable<Uint8Array> {
  returned = 0
  readonly #next: () => Promise<IteratorResult<Uint8Array>>

  constructor(next: () => Promise<IteratorResult<Uint8Array>>) {
    this.#next = next
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: this.#next,
      return: async () => {
        this.returned += 1
        return { done: true, value: undefined }
      },
    }
  }
}

describe('sourceChunks', () => {
  test('passes chunks on as they are taken', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes('a')
      yield bytes('b')
    }
    const upper = (chunk: Uint8Array): Uint8Array => bytes(new TextDecoder().decode(chunk).toUpperCase())
    expect(await texts(sourceChunks(source(), undefined, upper))).toEqual(['A', 'B'])
  })

  test('ends the source when it is left early', async () => {
    const source = new Source(async () => ({ done: false, value: bytes('a') }))
    for await (const chunk of sourceChunks(source, undefined, same)) if (chunk.length === 1) break
    expect(source.returned).toBe(1)
  })

  test('ends the source when a chunk is refused', async () => {
    const source = new Source(async () => ({ done: false, value: bytes('a') }))
    const refused = sourceChunks(source, undefined, () => {
      throw new Error('too large')
    })
    await expect(texts(refused)).rejects.toThrow('too large')
    expect(source.returned).toBe(1)
  })

  test('marks the failure of the source, and what is not bytes', async () => {
    const failing = new Source(() => Promise.reject(new Error('broken')))
    await expect(texts(sourceChunks(failing, undefined, same))).rejects.toBeInstanceOf(SourceError)
    const wrong = new Source(async () => ({ done: false, value: 'text' as unknown as Uint8Array }))
    await expect(texts(sourceChunks(wrong, undefined, same))).rejects.toMatchObject({ cause: expect.any(TypeError) })
    expect(wrong.returned).toBe(1)
  })

  test('is ended by its signal while it waits, and tells the source', async () => {
    const controller = new AbortController()
    const hanging = new Source(() => new Promise<never>(() => undefined))
    const reading = texts(sourceChunks(hanging, controller.signal, same))
    await Promise.resolve()
    controller.abort()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    expect(hanging.returned).toBe(1)
  })

  test('asks a source for nothing once its signal has fired', async () => {
    let asked = 0
    const source = new Source(async () => {
      asked += 1
      return { done: false, value: bytes('a') }
    })
    const reading = texts(sourceChunks(source, AbortSignal.abort(), same))
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    expect(asked).toBe(0)
  })
})

test('seenChunks shows each chunk before it is passed on', async () => {
  const seen: string[] = []
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes('ab')
    expect(seen).toEqual(['ab'])
    yield bytes('cde')
  }
  const see = (chunk: Uint8Array): void => void seen.push(new TextDecoder().decode(chunk))
  expect(await texts(seenChunks(source(), see))).toEqual(['ab', 'cde'])
  expect(seen).toEqual(['ab', 'cde'])
})
