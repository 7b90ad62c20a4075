import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assertReference,
  canBeRandom,
  contentReference,
  isReference,
  randomReference,
  type ReferenceInput,
} from './reference.ts'
import { StorageError } from './storage-error.ts'

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
