import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inspectJson, parseJsonBody } from './parse-json-body.ts'

const LIMITS = { maxJsonDepth: 200, maxJsonValues: 100_000 }

const parse = (text: string | Uint8Array): unknown =>
  parseJsonBody(typeof text === 'string' ? new TextEncoder().encode(text) : text, LIMITS)

describe('parseJsonBody', () => {
  it.each([
    ['nothing', ''],
    ['a part', '{"a":'],
    ['more than one value', '{} {}'],
    ['what only JavaScript reads', "{a: 'b'}"],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['100,000 levels that never end', '{"a":'.repeat(100_000)],
    ['UTF-8 that is none', Uint8Array.of(0x22, 0xff, 0x22)],
    ['UTF-16', Uint8Array.from(Buffer.from('{"a":1}', 'utf16le'))],
  ])('refuses %s', (_name, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid-json', status: 400 }))
  })

  it('refuses so many values that they would fill the memory', () => {
    expect(() => parse(`[${'0,'.repeat(100_001)}0]`)).toThrow(
      expect.objectContaining({ code: 'too-large', status: 413 }),
    )
  })

  it('shows nothing of the body in what it says', () => {
    expect(() => parse('{"secret": tru')).toThrow('The body is no JSON.')
  })

  it('takes the last of equal keys, and __proto__ for a key', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 })
    const value = parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as object
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('takes a byte order mark, and what is just within the limits', () => {
    expect(parse(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toBe(1)
    expect(parse('['.repeat(200) + ']'.repeat(200))).toBeDefined()
  })
})

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
