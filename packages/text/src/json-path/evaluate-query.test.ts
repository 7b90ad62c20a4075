import { describe, expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { JsonTapeReader } from '../json/json-tape.ts'
import { QueryEvaluator, TextExpressions } from './evaluate-query.ts'
import { parseJsonPath } from './parse-json-path.ts'

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

/** The official cases of RFC 9535. */
function complianceCases(): readonly ComplianceCase[] {
  const manifest = createRequire(import.meta.url).resolve('jsonpath-rfc9535/package.json')
  const path = join(dirname(manifest), 'src/__tests__/jsonpath-compliance-test-suite/cts.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { tests: ComplianceCase[] }).tests
}

async function evaluate(path: string, text: string): Promise<{ values: unknown[]; paths: string[] } | undefined> {
  const parsed = await parseJsonPath(path)
  if ('problem' in parsed) return undefined
  const { tape } = finish(new JsonTapeReader().read(new TextEncoder().encode(text)))
  const nodes = finish(new QueryEvaluator(tape).select(parsed.segments))
  const values = nodes.map(
    (node) => JSON.parse(new TextDecoder().decode(tape.bytes.subarray(tape.start(node), tape.end(node)))) as unknown,
  )
  return { values, paths: nodes.map((node) => tape.pathOf(node, '$')) }
}

function finish<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
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
    expect(one.results ?? [one.result]).toContainEqual(found!.values)
    for (const [index, path] of found!.paths.entries()) {
      expect((await evaluate(path, JSON.stringify(one.document)))!.values).toEqual([found!.values[index]])
    }
  })
})

function isMatch(pattern: string, whole: boolean, text: string): boolean | undefined {
  const steps = new TextExpressions().get(pattern, whole)?.(text)
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

  test('has a dot that matches any character but LF and CR, and is a plain dot within a class', () => {
    expect(['\n', '\r', '\u2028', '😀'].map((text) => match('.', text))).toEqual([false, false, true, true])
    expect([match('[.]', '.'), match('[.]', 'a'), match('\\.', 'a'), match('[\\]]', ']')]).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  test('may use syntax beyond RFC 9485, as models write it', () => {
    expect(find('\\d{3}\\b', 'code 404')).toBe(true)
    expect(find('\\p{Lu}', 'été')).toBe(false)
    expect([find('(?i)ERROR: .*', 'an error: x'), find('^an', 'an error'), find('or$', 'an error')]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('is refused with look-around or backreferences, or if it is invalid or very large', () => {
    const expressions = new TextExpressions()
    for (const pattern of ['(', '[', '(?=a)', '(a)\\1', 'a**', '(((a{100}){100}){100})'])
      expect(expressions.get(pattern, false)).toBeUndefined()
  })

  test('takes linear time', () => {
    expect(match('(a+)+b', 'a'.repeat(50_000))).toBe(false)
    expect(find('(a|b|c)+d{50}x', 'a'.repeat(5_000_000))).toBe(false)
    expect(find('needle', `${'a'.repeat(5_000_000)}needle`)).toBe(true)
  })

  test('is compiled once', () => {
    const expressions = new TextExpressions()
    expect(expressions.get('a+', true)).toBe(expressions.get('a+', true))
    expect(expressions.get('a+', true)).not.toBe(expressions.get('a+', false))
  })
})
