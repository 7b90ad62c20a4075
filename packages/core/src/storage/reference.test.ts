import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assertReference,
  childScope,
  contentReference,
  encodeSegment,
  isReference,
  randomReference,
  rootScope,
  scopePath,
  type ReferenceInput,
} from './reference.ts'
import { StorageError } from './storage-error.ts'

const text = fc.string({ unit: 'binary', maxLength: 60 })

const input: fc.Arbitrary<ReferenceInput> = fc.record({
  scope: fc.array(text, { maxLength: 3 }),
  key: text,
  contentType: text,
  content: fc.uint8Array({ maxLength: 60 }),
})

describe('contentReference', () => {
  test('gives equal input the equal reference, in the grammar of references', async () => {
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

  test('keeps the parts apart where they join up equally', async () => {
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

  test('is the same in every version: replayed conversations stay byte-identical', async () => {
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
  ])('makes of the key %j a slug', async (key, slug) => {
    const reference = await contentReference({ scope: [], key, contentType: 't', content: new Uint8Array(0) })
    expect(reference.slice(0, -20)).toBe(slug)
  })
})

test('randomReference is never the same, in the grammar of references', () => {
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

  test('an error shows at most the beginning of what was no reference', () => {
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
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
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
  test('uses a-z, 0-9, - and _ only, at most 48 of them, at least one', async () => {
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

  test('keeps segments apart that differ in one character only, wherever it is and however long they are', async () => {
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

  test('is the same in every version: what was stored stays where it is', async () => {
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
  test('keeps the segments apart', async () => {
    const all = [['foo', 'bar'], ['foobar'], ['foo/bar'], ['foo', 'bar', 'baz'], ['foo'], ['f', 'oobar'], ['foo_2fbar']]
    const paths = await Promise.all(all.map((segments) => path(...segments)))
    expect(new Set(paths).size).toBe(all.length)
  })

  test('of scopes below a scope starts with its path and a slash, and no other does', async () => {
    const list = fc.array(segment, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(list, list, async (upper, other) => {
        const isBelow = other.length > upper.length && upper.every((name, index) => other[index] === name)
        expect((await path(...other)).startsWith(`${await path(...upper)}/`)).toBe(isBelow)
      }),
      { numRuns: 300 },
    )
  })

  test('with a reference stays within the 900 characters of an entry id', async () => {
    expect((await path(...Array.from({ length: 16 }, () => 'É'.repeat(512)))).length).toBeLessThanOrEqual(900 - 65)
  })

  test('of the storage as a whole is empty', async () => {
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
