import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { JsonTapeReader } from '../json/json-tape.ts'
import { QueryEvaluator } from './evaluate-query.ts'
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

/** The official cases of RFC 9535, as a package brings them that is used for nothing else. */
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

  test('is there', () => {
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
