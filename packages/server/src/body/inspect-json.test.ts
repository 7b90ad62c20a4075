import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inspectJson } from './inspect-json.ts'

/** Bytes whose reads and searches are counted. */
function countedBytes(text: string): { readonly bytes: Uint8Array; readonly steps: () => number } {
  let steps = 0
  const whole = new TextEncoder().encode(text)
  const indexOf = (byte: number, start: number): number => {
    const found = whole.indexOf(byte, start)
    steps += (found < 0 ? whole.length : found) - start
    return found
  }
  const get = (_: Uint8Array, name: string): unknown => {
    steps += 1
    return name === 'indexOf' ? indexOf : Reflect.get(whole, name, whole)
  }
  return { bytes: new Proxy(whole, { get } as ProxyHandler<Uint8Array>), steps: () => steps }
}

const measure = (text: string) => inspectJson(new TextEncoder().encode(text))

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

it('inspectJson measures the depth of JSON whose strings contain quotes, backslashes, and brackets', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '[[[', '{"a":[', '\\\\"', ']'))
  const values = fc.jsonValue({ maxDepth: 6 }).map((value) => value as unknown)
  fc.assert(
    fc.property(values, text, (value, extra) => {
      const both = [value, extra, { [extra]: value }]
      expect(measure(JSON.stringify(both)).depth).toBe(depthOf(both))
    }),
  )
})

it('inspectJson counts at least every array, object, and item', () => {
  expect(measure('[1,2,3]').values).toBeGreaterThanOrEqual(4)
  expect(measure('[[],[],{}]').values).toBeGreaterThanOrEqual(4)
  expect(measure(`[${'1,'.repeat(9_999)}1]`).values).toBeGreaterThanOrEqual(10_000)
})

it.each(['"', '\\', '["', '\\"', '"\\'])('inspectJson reads each byte of repeated %j at most a few times', (piece) => {
  const text = piece.repeat(2_000)
  const { bytes, steps } = countedBytes(text)
  inspectJson(bytes)
  expect(steps()).toBeGreaterThanOrEqual(text.length)
  expect(steps()).toBeLessThan(10 * text.length)
})
