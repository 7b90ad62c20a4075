import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inspectJson } from './inspect-json.ts'

const measure = (text: string) => inspectJson(new TextEncoder().encode(text))

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

it('measures the depth of any JSON, whatever its strings have in them', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '[[[', '{"a":[', '\\\\"', ']'))
  const values = fc.jsonValue({ maxDepth: 6 }).map((value) => value as unknown)
  fc.assert(
    fc.property(values, text, (value, extra) => {
      const both = [value, extra, { [extra]: value }]
      expect(measure(JSON.stringify(both)).depth).toBe(depthOf(both))
    }),
  )
})

it('counts at least every array, object and item', () => {
  expect(measure('[1,2,3]').values).toBeGreaterThanOrEqual(4)
  expect(measure('[[],[],{}]').values).toBeGreaterThanOrEqual(4)
  expect(measure(`[${'1,'.repeat(9_999)}1]`).values).toBeGreaterThanOrEqual(10_000)
})

it('takes little time for what is no JSON', () => {
  const begin = performance.now()
  for (const piece of ['"', '\\', '["', '\\"', '"\\'])
    inspectJson(new TextEncoder().encode(piece.repeat(5_000_000 / piece.length)))
  expect(performance.now() - begin).toBeLessThan(3_000)
})
