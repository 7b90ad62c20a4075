import { describe, expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { jsonpath } from 'json-p3'
import { propertyRuns } from '@spillway-internal/test-run'
import { PathEvaluator } from './evaluate-path.ts'
import { parseJsonPath, textTest } from './parse-json-path.ts'
import { PathTooLarge } from './path-walk.ts'

interface ComplianceCase {
  readonly name: string
  readonly selector: string
  readonly document?: unknown
  readonly result?: readonly unknown[]
  readonly results?: readonly (readonly unknown[])[]
  readonly result_paths?: readonly string[]
  readonly results_paths?: readonly (readonly string[])[]
  readonly invalid_selector?: true
}

/** The official test cases of RFC 9535. */
function complianceCases(): readonly ComplianceCase[] {
  const manifest = createRequire(import.meta.url).resolve('jsonpath-rfc9535/package.json')
  const path = join(dirname(manifest), 'src/__tests__/jsonpath-compliance-test-suite/cts.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { tests: ComplianceCase[] }).tests
}

async function evaluate(path: string, text: string): Promise<unknown[] | undefined> {
  const parsed = await parseJsonPath(path)
  if ('problem' in parsed) return undefined
  const bytes = new TextEncoder().encode(text)
  const values: unknown[] = []
  const take = (value: Uint8Array): boolean => values.push(JSON.parse(new TextDecoder().decode(value))) < 0
  const query = { fromRoot: true, segments: parsed.segments }
  finish(new PathEvaluator({ bytes, form: 'json' }).each(query, bytes, take))
  return values
}

function finish<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Results without duplicates, sorted. A path may select a value twice, and in any order. */
function eachOnce(values: readonly unknown[], paths: readonly unknown[]): string[] {
  return values
    .filter((_, index) => paths.indexOf(paths[index]) === index)
    .map((value) => JSON.stringify(value))
    .toSorted()
}

describe('the compliance test suite of RFC 9535', () => {
  const cases = complianceCases()

  test('is available', () => {
    expect(cases.length).toBeGreaterThan(600)
  })

  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const found = await evaluate(one.selector, JSON.stringify(one.document ?? null))
    if (one.invalid_selector) {
      expect(found).toBeUndefined()
      return
    }
    const values = one.result ?? one.results![0]!
    const paths = one.result_paths ?? one.results_paths![0]!
    expect(found!.map((value) => JSON.stringify(value)).toSorted()).toEqual(eachOnce(values, paths))
  })
})

describe('a JSON path', () => {
  test('selects the same values as the parser library, but each value only once', async () => {
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, depthSize: 'small' },
        fc.constantFrom(null, true, 0, 1, -1.5, 'x', ''),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'é"'), tie('value')),
      ),
    })).value
    const bound = fc.option(fc.integer({ min: -4, max: 6 }), { nil: '' })
    const test = [
      '@.a',
      '@.a == 1',
      '!@.b',
      'count(@..*) > 1',
      'length(@) >= 2',
      '@.a < @.b',
      'count($..a) > 1',
      '@[-1]',
    ]
    const selector = fc.oneof(
      fc.constantFrom("'a'", "'b'", '*', ...test.map((one) => `?${one}`)),
      fc.integer({ min: -3, max: 4 }).map(String),
      fc.tuple(bound, bound, fc.constantFrom(1, 2, -1, -2)).map((parts) => parts.join(':')),
    )
    const segment = fc
      .tuple(fc.constantFrom('', '', '', '..'), fc.array(selector, { minLength: 1, maxLength: 2 }))
      .map(([dots, selectors]) => `${dots}[${selectors.join(',')}]`)
    await fc.assert(
      fc.asyncProperty(value, fc.array(segment, { maxLength: 4 }), async (document, segments) => {
        const path = `$${segments.join('')}`
        const nodes = [...jsonpath.query(path, document as string)]
        const expected = eachOnce(
          nodes.map((node) => node.value),
          nodes.map((node) => node.path),
        )
        const found = await evaluate(path, JSON.stringify(document))
        expect(found!.map((one) => JSON.stringify(one)).toSorted()).toEqual(expected)
      }),
      propertyRuns(300, 5_000),
    )
  })

  test('compares arrays and objects by their content', async () => {
    const items = [
      { a: {}, b: [] },
      { a: { x: 1, y: [2] }, b: { y: [2], x: 1 } },
      { a: [1, 2], b: [2, 1] },
    ]
    expect(await evaluate('$[?@.a == @.b]', JSON.stringify(items))).toEqual([items[1]])
    expect(await evaluate('$[?@.a != @.b].b', JSON.stringify(items))).toEqual([[], [2, 1]])
  })

  test('has at most 30 segments', async () => {
    expect(await parseJsonPath(`$${'.a'.repeat(30)}`)).toMatchObject({ asksRoot: false })
    expect(await parseJsonPath(`$${'.a'.repeat(31)}`)).toMatchObject({ problem: { position: 62 } })
  })

  test('examines a limited number of levels if it has a filter at any depth', async () => {
    const deep = `${'['.repeat(1_000)}1${']'.repeat(1_000)}`
    await expect(evaluate('$..[?@.a]', deep)).rejects.toBeInstanceOf(PathTooLarge)
  })
})

function isMatch(pattern: string, whole: boolean, text: string): boolean | undefined {
  const steps = textTest(pattern, whole)?.(text)
  for (;;) {
    const step = steps?.next()
    if (step?.done !== false) return step?.value
  }
}

const find = (pattern: string, text: string): boolean | undefined => isMatch(pattern, false, text)
const match = (pattern: string, text: string): boolean | undefined => isMatch(pattern, true, text)

describe('a regular expression in a JSON path', () => {
  test('matches a part of a text, or the whole text', () => {
    expect(find('b.d', 'abcde')).toBe(true)
    expect(match('b.d', 'abcde')).toBe(false)
    expect(match('a(b|x)c?', 'ab')).toBe(true)
    expect(find('plain word', 'a plain word here')).toBe(true)
    expect(find('', 'any')).toBe(true)
  })

  test('has a dot that matches any character except LF and CR, and that is literal in a class', () => {
    expect(['\n', '\r', '\u2028', '😀'].map((text) => match('.', text))).toEqual([false, false, true, true])
    expect([match('[.]', '.'), match('[.]', 'a'), match('\\.', 'a'), match('[\\]]', ']')]).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  test('may use syntax that models write, even if RFC 9485 does not allow it', () => {
    expect(find('\\d{3}\\b', 'code 404')).toBe(true)
    expect(find('\\p{Lu}', 'été')).toBe(false)
    expect([find('(?i)ERROR: .*', 'an error: x'), find('^an', 'an error'), find('or$', 'an error')]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('is rejected if it has look-around or backreferences, is invalid, or is very large', () => {
    for (const pattern of ['(', '[', '(?=a)', '(a)\\1', 'a**', '(((a{100}){100}){100})'])
      expect(textTest(pattern, false)).toBeUndefined()
  })

  test('is matched in linear time', () => {
    expect(match('(a+)+b', 'a'.repeat(50_000))).toBe(false)
    expect(find('(a|b|c)+d{50}x', 'a'.repeat(5_000_000))).toBe(false)
    expect(find('needle', `${'a'.repeat(5_000_000)}needle`)).toBe(true)
  })
})
