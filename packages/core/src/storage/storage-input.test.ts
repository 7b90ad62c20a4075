import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assertChunks,
  assertContent,
  assertContentType,
  assertKey,
  assertKnownOptions,
  assertMetadata,
  assertRange,
  isContentType,
  seenChunks,
  shown,
  sourceChunks,
} from './storage-input.ts'
import { SourceError, StorageError } from './storage-error.ts'

test('a key is any string of up to 65,536 characters', () => {
  for (const key of ['', '\u0000', '\ud800', 'k'.repeat(65_536)]) expect(() => assertKey(key)).not.toThrow()
  for (const key of [undefined, null, 1, {}, 'k'.repeat(65_537)])
    expect(() => assertKey(key)).toThrow(expect.objectContaining({ code: 'invalid-key' }))
})

test('content must be bytes, and the error says how to get them', () => {
  expect(() => assertContent(new Uint8Array(0))).not.toThrow()
  expect(() => assertContent('text')).toThrow(TypeError)
  expect(() => assertContent('text')).toThrow('TextEncoder')
})

test('a stream must be an async iterable', () => {
  const chunks = (async function* () {
    yield new Uint8Array(1)
  })()
  expect(() => assertChunks(chunks)).not.toThrow()
  expect(() => assertChunks(new ReadableStream())).not.toThrow()
  for (const wrong of [undefined, null, 'text', {}, [new Uint8Array(1)], new Uint8Array(1)])
    expect(() => assertChunks(wrong)).toThrow('chunks must be an async iterable')
})

test.each(['text/plain', 'image/svg+xml', 'text/html; charset="utf-8"', `a/${'b'.repeat(253)}`])(
  'a content type may be %s',
  (contentType) => {
    expect(() => assertContentType(contentType)).not.toThrow()
  },
)

test.each([
  '',
  'text',
  '/',
  'a/',
  '/b',
  'a/b/c',
  'text/plain\n',
  'text/plain;\r\nX: 1',
  'text/plain\r\n;charset=utf-8',
  'text/plain\u00a0; charset=utf-8',
  ' a/b',
  `a/${'b'.repeat(254)}`,
  1,
  null,
])('a content type cannot be %j', (contentType) => {
  expect(() => assertContentType(contentType)).toThrow(TypeError)
})

test('the error for a content type that JSON cannot write shows its kind', () => {
  expect(() => assertContentType(5n)).toThrow('contentType must be a MIME type')
  expect(() => assertRange({ offset: Object.create(null), length: 1 })).toThrow('range.offset must be a whole number')
})

test('a valid content type can be sent in a header', () => {
  const part = fc.constantFrom(
    'text',
    '/',
    'plain',
    ';',
    ' ',
    '\t',
    '\r',
    '\n',
    '\0',
    '\u00a0',
    '\u2028',
    '\ud800',
    'é',
    'a="b"',
  )
  const contentType = fc.oneof(
    fc.array(part).map((parts) => parts.join('')),
    fc.tuple(part, part, part).map((parts) => `text/plain${parts.join('')}`),
  )
  fc.assert(
    fc.property(contentType, (text) => {
      fc.pre(isContentType(text))
      expect(text).toMatch(/^[\x20-\x7e]+$/)
      expect(() => new Headers({ 'content-type': text })).not.toThrow()
    }),
    propertyRuns(300, 3_000),
  )
})

test('content types are checked in linear time', () => {
  expect(() => assertContentType(`a/b${' '.repeat(250)}\n`)).toThrow(TypeError)
})

test.each([
  [[], 'metadata'],
  [null, 'metadata'],
  [{ Tool: 'a' }, '"Tool"'],
  [{ tool: 1 }, 'metadata.tool'],
  [{ tool: 'x'.repeat(2_045) }, '2048 bytes'],
  [{ tool: 'é'.repeat(1_023) }, '2048 bytes'],
])('metadata cannot be %j', (metadata, words) => {
  expect(() => assertMetadata(metadata)).toThrow(TypeError)
  expect(() => assertMetadata(metadata)).toThrow(words)
})

test('metadata must be a few short strings', () => {
  for (const metadata of [undefined, {}, { tool: '' }, { 'tool-call-id': 'é\n' }, { tool: 'x'.repeat(2_044) }])
    expect(() => assertMetadata(metadata)).not.toThrow()
})

test('a range must be whole bytes from the start', () => {
  expect(() => assertRange({ offset: 0, length: 0 })).not.toThrow()
  for (const range of [{ offset: -1, length: 1 }, { offset: 0, length: 2 ** 53 }, { offset: 0 }, null, undefined, 5])
    expect(() => assertRange(range)).toThrow(TypeError)
})

test('invalid bytes, types, metadata and ranges are not failures of the storage', () => {
  for (const check of [
    () => assertContent(1),
    () => assertContentType(1),
    () => assertMetadata(1),
    () => assertRange(1),
  ]) {
    const error = caught(check)
    expect(StorageError.isInstance(error)).toBe(false)
    expect(error).toBeInstanceOf(TypeError)
  }
})

function caught(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('was not refused')
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const same = (chunk: Uint8Array): Uint8Array => chunk

async function texts(chunks: AsyncIterable<Uint8Array>): Promise<string[]> {
  const seen: string[] = []
  for await (const chunk of chunks) seen.push(new TextDecoder().decode(chunk))
  return seen
}

/** A stream that counts the requests for chunks, and records whether it was closed. */
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
  test('passes chunks on as they are requested', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes('a')
      yield bytes('b')
    }
    const upper = (chunk: Uint8Array): Uint8Array => bytes(new TextDecoder().decode(chunk).toUpperCase())
    expect(await texts(sourceChunks(source(), undefined, upper))).toEqual(['A', 'B'])
  })

  test('closes the source if the consumer stops early', async () => {
    const source = new Source(async () => ({ done: false, value: bytes('a') }))
    for await (const chunk of sourceChunks(source, undefined, same)) if (chunk.length === 1) break
    expect(source.returned).toBe(1)
  })

  test('closes the source if a chunk is refused', async () => {
    const source = new Source(async () => ({ done: false, value: bytes('a') }))
    const refused = sourceChunks(source, undefined, () => {
      throw new Error('too large')
    })
    await expect(texts(refused)).rejects.toThrow('too large')
    expect(source.returned).toBe(1)
  })

  test('marks failures of the source, and chunks that are not bytes', async () => {
    const failing = new Source(() => Promise.reject(new Error('broken')))
    await expect(texts(sourceChunks(failing, undefined, same))).rejects.toBeInstanceOf(SourceError)
    const wrong = new Source(async () => ({ done: false, value: 'text' as unknown as Uint8Array }))
    await expect(texts(sourceChunks(wrong, undefined, same))).rejects.toMatchObject({ cause: expect.any(TypeError) })
    expect(wrong.returned).toBe(1)
  })

  test('stops waiting if its signal aborts, and closes the source', async () => {
    const controller = new AbortController()
    const hanging = new Source(() => new Promise<never>(() => undefined))
    const reading = texts(sourceChunks(hanging, controller.signal, same))
    await Promise.resolve()
    controller.abort()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    expect(hanging.returned).toBe(1)
  })

  test('requests nothing from the source if its signal has aborted', async () => {
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
  expect(await texts(seenChunks(source(), undefined, see))).toEqual(['ab', 'cde'])
  expect(seen).toEqual(['ab', 'cde'])
})

test('assertKnownOptions accepts known options, and no options', () => {
  expect(() => assertKnownOptions({ a: 1, b: undefined }, ['a', 'b'], 'Bucket')).not.toThrow()
  expect(() => assertKnownOptions({}, [], 'Bucket')).not.toThrow()
})

test.each([null, undefined, 7, 'text', [], () => undefined, new URL('file:///tmp')])(
  'assertKnownOptions refuses %j',
  (options) => {
    expect(() => assertKnownOptions(options, ['a'], 'Bucket')).toThrow(/^Bucket takes an object of options, got /)
  },
)

test('assertKnownOptions refuses an object that is not options by its class', () => {
  class Storage {
    readonly locate = 1
  }
  expect(() => assertKnownOptions(new Storage(), ['ttlMs'], 'Bucket')).toThrow(
    'Bucket takes an object of options, got an object of the class Storage.',
  )
  expect(() => assertKnownOptions(Object.assign(Object.create(null), { a: 1 }), [], 'Bucket')).toThrow('option "a"')
})

test('assertKnownOptions names the unknown option and all known options', () => {
  expect(() => assertKnownOptions({ tllMs: 1 }, ['ttlMs', 'maxBytes'], 'Bucket')).toThrow(
    'Unknown option "tllMs". Known: ttlMs, maxBytes.',
  )
})

test.each([
  ['2500', 'the string "2500"'],
  ['', 'the string ""'],
  ['x'.repeat(1_000), `the string "${'x'.repeat(80)}"`],
  [2_500, '2500'],
  [NaN, 'NaN'],
  [5n, 'the bigint 5'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'undefined'],
  [[1], 'an array'],
  [{ a: 1 }, 'an object'],
  [() => 1, 'a function'],
  [new URL('file:///tmp'), 'a URL'],
])('shown writes %o differently from values that look similar', (value, expected) => {
  expect(shown(value)).toBe(expected)
})
