import { propertyRuns } from '@spillway-internal/test-run'
import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assertChunks,
  assertContent,
  assertContentType,
  assertKey,
  assertMetadata,
  assertRange,
  assertReference,
  canBeRandom,
  childScope,
  contentReference,
  decodeSegment,
  encodeSegment,
  isContentType,
  isReference,
  randomReference,
  rootScope,
  scopePath,
  seenChunks,
  sourceChunks,
  type ReferenceInput,
} from './reference.ts'
import { SourceError, StorageError } from './storage-error.ts'

const text = fc.string({ unit: codePoint, maxLength: 60 })

const input: fc.Arbitrary<ReferenceInput> = fc.record({
  scope: fc.array(text, { maxLength: 3 }),
  key: text,
  contentType: text,
  content: fc.uint8Array({ maxLength: 60 }),
})

describe('contentReference', () => {
  test('gives equal references for equal input, in the form of references', async () => {
    await fc.assert(
      fc.asyncProperty(input, async (given) => {
        const reference = await contentReference(given)
        expect(reference).toMatch(/^[a-z0-9_]{1,64}$/)
        expect(await contentReference({ ...given, content: given.content.slice() })).toBe(reference)
      }),
    )
  })

  test('gives different input different references', async () => {
    await fc.assert(
      fc.asyncProperty(input, input, async (a, b) => {
        const parts = ({ content, ...rest }: ReferenceInput): string =>
          JSON.stringify({ ...rest, content: [...content] })
        fc.pre(parts(a) !== parts(b))
        expect(await contentReference(a)).not.toBe(await contentReference(b))
      }),
    )
  })

  test('distinguishes parts whose concatenation is equal', async () => {
    const content = new TextEncoder().encode('c')
    const all: ReferenceInput[] = [
      { scope: ['a'], key: 'b', contentType: 't', content },
      { scope: ['a', 'b'], key: '', contentType: 't', content },
      { scope: ['ab'], key: '', contentType: 't', content },
      { scope: [], key: 'ab', contentType: 't', content },
      { scope: [], key: 'a', contentType: 'bt', content },
      { scope: [], key: 'ab', contentType: 'tc', content: new Uint8Array(0) },
    ]
    expect(new Set(await Promise.all(all.map(contentReference))).size).toBe(all.length)
  })

  test('is the same in every version, so that replayed conversations stay byte-identical', async () => {
    const content = new TextEncoder().encode('hello\n')
    expect(await contentReference({ scope: ['tenant'], key: 'toolu_01:0', contentType: 'text/plain', content })).toBe(
      'toolu_01_0_gnzyvn6ynxa4jxlcnl55',
    )
  })

  test.each([
    ['toolu_01AbC:0', 'toolu_01abc_0_'],
    ['', 'entry_'],
    ['///', 'entry_'],
    ['日本語', 'entry_'],
    ['../../etc/passwd', 'etc_passwd_'],
    ['K'.repeat(5_000), `${'k'.repeat(32)}_`],
    [`${'-'.repeat(1_000)}a`, 'entry_'],
  ])('starts with a slug of the key: %j gives %j', async (key, slug) => {
    const reference = await contentReference({ scope: [], key, contentType: 't', content: new Uint8Array(0) })
    expect(reference.slice(0, -20)).toBe(slug)
  })
})

test('randomReference is unique and has the form of references', () => {
  const references = Array.from({ length: 1_000 }, () => randomReference('Call 1'))
  expect(new Set(references).size).toBe(1_000)
  for (const reference of references) expect(reference).toMatch(/^call_1_[a-z2-7]{20}$/)
})

describe('isReference', () => {
  test.each(['a', '_', 'call_1_0_abc', 'a'.repeat(64), '0'])('accepts %j', (value) => {
    expect(isReference(value)).toBe(true)
  })

  test.each(['', 'a'.repeat(65), 'A', 'a-b', 'a/b', '..', 'a\n', '\na', 'a b', 'é', 'ａ', undefined, null, 1, ['a']])(
    'refuses %j',
    (value) => {
      expect(isReference(value)).toBe(false)
      expect(() => assertReference(value)).toThrow(StorageError)
    },
  )

  test('shows at most the first characters of an invalid reference in an error', () => {
    const caught = ((): unknown => {
      try {
        return assertReference('/'.repeat(1_000_000))
      } catch (error) {
        return error
      }
    })()
    expect(caught).toMatchObject({ code: 'invalid-reference', reference: '/'.repeat(64), retryable: false })
    expect(String(caught).length).toBeLessThan(300)
  })
})

const unit = fc.constantFrom(...Array.from('abzAZ09_-./\\ :%éßİ日\u0000\n\u0301'), '\ud800', '\udc00', '👩', '\ufffd')

const segment = fc.oneof(
  fc.string({ unit, minLength: 1, maxLength: 8 }),
  fc.string({ unit, minLength: 1, maxLength: 100 }),
  fc.string({ unit: codePoint, minLength: 1, maxLength: 200 }),
  fc.constantFrom(
    '.',
    '..',
    '...',
    'con',
    'CON',
    'con.txt',
    'nul',
    'com1',
    'lpt9',
    '_63on',
    '-',
    '_',
    '__',
    'foo',
    'Foo',
  ),
)

const path = (...segments: string[]): Promise<string> => scopePath(childScope(rootScope(), segments))

describe('encodeSegment', () => {
  test('uses 1 to 48 characters of a-z, 0-9, - and _', async () => {
    await fc.assert(
      fc.asyncProperty(segment, async (given) => {
        expect(await encodeSegment(given)).toMatch(/^[a-z0-9_-]{1,48}$/)
      }),
      { numRuns: 500 },
    )
  })

  test('gives different segments different names', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(segment, { minLength: 2, maxLength: 20 }), async (segments) => {
        const names = await Promise.all(segments.map(encodeSegment))
        expect(new Set(names).size).toBe(segments.length)
      }),
      { numRuns: 300 },
    )
  })

  test('gives different names to segments that differ in one character, at any position and length', async () => {
    await fc.assert(
      fc.asyncProperty(segment, fc.nat(), unit, async (given, at, replacement) => {
        const index = at % given.length
        const other = given.slice(0, index) + replacement + given.slice(index + 1)
        fc.pre(other !== given)
        expect(await encodeSegment(other)).not.toBe(await encodeSegment(given))
      }),
      { numRuns: 500 },
    )
  })

  test('is the same in every version, so that stored entries are found', async () => {
    expect(await encodeSegment('tenant-1')).toBe('tenant-1')
    expect(await encodeSegment('User@Example.com')).toBe('_55ser_40_45xample_2ecom')
    expect(await encodeSegment('..')).toBe('_2e_2e')
    expect(await encodeSegment('con')).toBe('_63on')
    expect(await encodeSegment('\ud800')).toBe('_ed_a0_80')
    expect(await encodeSegment('x'.repeat(1_024))).toBe('xxxxxxxxxxxx__49abd65bbf7f7e40c7055093ed2e3fd7')
  })

  test.each(['con', 'prn', 'aux', 'nul', 'com1', 'lpt9'])(
    'never gives the name %s, which Windows reserves',
    async (name) => {
      expect(await encodeSegment(name)).not.toBe(name)
    },
  )
})

describe('scopePath', () => {
  test('separates the segments', async () => {
    const all = [['foo', 'bar'], ['foobar'], ['foo/bar'], ['foo', 'bar', 'baz'], ['foo'], ['f', 'oobar'], ['foo_2fbar']]
    const paths = await Promise.all(all.map((segments) => path(...segments)))
    expect(new Set(paths).size).toBe(all.length)
  })

  test('starts with the path of the parent scope and a slash, only for child scopes', async () => {
    const list = fc.array(segment, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(list, list, async (upper, other) => {
        const isBelow = other.length > upper.length && upper.every((name, index) => other[index] === name)
        expect((await path(...other)).startsWith(`${await path(...upper)}/`)).toBe(isBelow)
      }),
      { numRuns: 300 },
    )
  })

  test('stays within the 900 characters of an entry id, including a reference', async () => {
    expect((await path(...Array.from({ length: 16 }, () => 'É'.repeat(512)))).length).toBeLessThanOrEqual(900 - 65)
  })

  test('is empty for the whole storage', async () => {
    expect(await scopePath(rootScope())).toBe('')
  })
})

describe('childScope', () => {
  test.each([
    ['no segments', []],
    ['an empty segment', ['a', '']],
    ['a segment over 1,024 bytes', ['x'.repeat(1_025)]],
    ['a segment over 1,024 bytes of UTF-8', ['é'.repeat(513)]],
    ['17 segments', Array.from({ length: 17 }, () => 'a')],
    ['a segment that is no string', [1 as unknown as string]],
  ])('refuses %s with invalid-key', (_what, segments) => {
    expect(() => childScope(rootScope(), segments)).toThrow(expect.objectContaining({ code: 'invalid-key' }))
  })

  test('counts the segments of its parent', () => {
    let scope = rootScope()
    for (let depth = 0; depth < 16; depth += 1) scope = childScope(scope, ['a'])
    expect(() => childScope(scope, ['a'])).toThrow(expect.objectContaining({ code: 'invalid-key' }))
  })
})

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
  expect(await texts(seenChunks(source(), see))).toEqual(['ab', 'cde'])
  expect(seen).toEqual(['ab', 'cde'])
})

describe('canBeRandom', () => {
  test('is true for references of streams, and for few references of content', async () => {
    for (let index = 0; index < 500; index += 1) expect(canBeRandom(randomReference(`key ${index}`))).toBe(true)
    let mistaken = 0
    for (let index = 0; index < 2_000; index += 1) {
      const content = Uint8Array.of(index, index >> 8)
      if (canBeRandom(await contentReference({ scope: [], key: 'key', contentType: 't', content }))) mistaken += 1
    }
    expect(mistaken).toBeLessThan(20)
  })
})

test('decodeSegment returns the segment that was encoded, or undefined for names of none, hashes, and lone surrogates', async () => {
  for (const segment of ['tenant-1', 'Tenant@example.com', '..', 'a_b__c', 'con', 'é😀', '\uFEFFa'])
    expect(decodeSegment(await encodeSegment(segment))).toBe(segment)
  for (const segment of ['x'.repeat(49), '\uD800']) expect(decodeSegment(await encodeSegment(segment))).toBeUndefined()
  for (const name of ['', 'Tenant', '\u0161', 'a_zz', 'a\n', '_C3']) expect(decodeSegment(name)).toBeUndefined()
})
