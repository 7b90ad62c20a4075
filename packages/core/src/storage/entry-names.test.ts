import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { childScope, decodeSegment, encodeSegment, rootScope, scopePath } from './entry-names.ts'

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
    ['a segment that is not a string', [1 as unknown as string]],
  ])('refuses %s with invalid-key', (_what, segments) => {
    expect(() => childScope(rootScope(), segments)).toThrow(expect.objectContaining({ code: 'invalid-key' }))
  })

  test('counts the segments of its parent', () => {
    let scope = rootScope()
    for (let depth = 0; depth < 16; depth += 1) scope = childScope(scope, ['a'])
    expect(() => childScope(scope, ['a'])).toThrow(expect.objectContaining({ code: 'invalid-key' }))
  })
})

test('decodeSegment returns the segment that was encoded, or undefined for names that encode no segment, for hashes, and for lone surrogates', async () => {
  for (const segment of ['tenant-1', 'Tenant@example.com', '..', 'a_b__c', 'con', 'é😀', '\uFEFFa'])
    expect(decodeSegment(await encodeSegment(segment))).toBe(segment)
  for (const segment of ['x'.repeat(49), '\uD800']) expect(decodeSegment(await encodeSegment(segment))).toBeUndefined()
  for (const name of ['', 'Tenant', '\u0161', 'a_zz', 'a\n', '_C3']) expect(decodeSegment(name)).toBeUndefined()
})
