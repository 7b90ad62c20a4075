import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExactJson } from './exact-json.ts'
import { indentLargeJson, jsonParts } from './indent-large-json.ts'

const MANY = 20_000

/** A large value with many copies of the generated value, so that it is written in several steps. */
const large = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('array', 'object', 'nested', 'beside'))
  .map(([value, form]): unknown => {
    const items = Array.from({ length: 5_000 }, () => value)
    if (form === 'array') return items
    if (form === 'object') return Object.fromEntries(items.map((item, index) => [`key ${index}`, item]))
    if (form === 'nested') return { first: [[items], {}], second: { third: items } }
    return [value, items, [], value, { items }, 'last']
  })

describe('indentLargeJson', () => {
  it('equals JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(large, async (value) => {
        expect(await indentLargeJson(value)).toBe(JSON.stringify(value, null, 2))
        expect((await jsonParts(value, 0)).join('')).toBe(JSON.stringify(value))
      }),
      propertyRuns(60, 600),
    )
  })

  it.each<[name: string, value: unknown]>([
    ['members that JSON omits', Array.from({ length: MANY }, (_, at) => (at % 2 === 0 ? { at: undefined } : at))],
    ['an object without any member', { all: Array.from({ length: MANY }, () => undefined), none: { f: () => 1 } }],
    ['a large object without any member', Object.fromEntries(Array.from({ length: MANY }, (_, at) => [at, undefined]))],
    ['a sparse array', Object.assign([], { [MANY]: 1 })],
    ['values with their own serialization', Array.from({ length: MANY }, (_, at) => new Date(at * 1_000))],
    ['objects of strings and numbers', [Object('a'), Object(1), Array.from({ length: MANY }, () => Object(true))]],
    [
      'numeric and odd keys',
      Object.fromEntries(Array.from({ length: MANY }, (_, at) => [at % 2 ? at : `"${at}\n`, at])),
    ],
    ['a key that names the prototype', JSON.parse(`[{"__proto__": [${'1,'.repeat(MANY)}1]}, {"__proto__": 2}]`)],
    ['a long string', [`${'a'.repeat(65_535)}😀\ud83d${'\n"\\\u0000'.repeat(100_000)}\ude00`]],
    ['a long string alone', 'é\t'.repeat(200_000)],
    ['many values within a few levels', nested(5, [Array.from({ length: MANY }, () => ({ at: [1] })), {}])],
    ['many values within many levels', nested(40, [Array.from({ length: MANY }, () => ({ at: [1] })), {}])],
    ['a number with many digits', parseExactJson(`[${'1'.repeat(200_000)}]`)],
    ['an object without a prototype', Object.assign(Object.create(null), { a: Array(MANY).fill(null) })],
  ])('writes %s like JSON.stringify', async (_name, value) => {
    expect(await indentLargeJson(value)).toBe(JSON.stringify(value, null, 2))
    expect((await jsonParts(value, 0)).join('')).toBe(JSON.stringify(value))
  })

  it('writes values with many levels', async () => {
    expect(await indentLargeJson(nested(2_000))).toBe(JSON.stringify(nested(2_000), null, 2))
    await expect(indentLargeJson(nested(100_000))).rejects.toThrow(RangeError)
  })

  it('returns undefined for values that JSON cannot express', async () => {
    const cycle: unknown[] = Array.from({ length: MANY }, () => 1)
    cycle.push({ cycle })
    for (const value of [cycle, [...cycle.slice(0, -1), 1n], undefined, () => 1])
      expect(await indentLargeJson(value)).toBeUndefined()
  })
})

function nested(levels: number, innermost: unknown = 'innermost'): unknown {
  let value = innermost
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value, 1] : { value }
  return value
}
