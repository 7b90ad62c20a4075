import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEqual, isSameJson } from './same-json.ts'

const json = fc.jsonValue({ maxDepth: 4 })
const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
/** Equality by another way: as text, with the keys of every object in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? { fields: Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)) }
      : item,
  )

describe('isEqual', () => {
  it('is the equality of JSON', () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        const [a, b] = [through(left), through(right)]
        expect(isEqual(a, b)).toBe(canonical(a) === canonical(b))
        expect(isEqual(a, through(a))).toBe(true)
      }),
    )
  })

  it('tells apart what only looks alike', () => {
    const pairs: [unknown, unknown][] = [
      [[], {}],
      [[1], { 0: 1 }],
      [null, {}],
      [{ a: undefined }, { b: undefined }],
      [JSON.parse('{"__proto__": 1}'), {}],
      [{ toString: 1 }, {}],
      ['1', 1],
    ]
    for (const [left, right] of pairs) expect([isEqual(left, right), isEqual(right, left)]).toEqual([false, false])
  })

  it('compares values that are deeper than the stack', () => {
    const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    expect(isEqual(deep(100_000), deep(100_000))).toBe(true)
    expect(isEqual(deep(100_000), deep(100_001))).toBe(false)
  })
})

describe('isSameJson', () => {
  it('takes a value in any spelling', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, 2, 4, '\t'), (value, indent) => {
        expect(isSameJson(JSON.stringify(value, undefined, indent), through(value))).toBe(true)
      }),
    )
  })

  it('refuses other values, and what is no JSON', () => {
    expect(isSameJson('{"a":1}', { a: 2 })).toBe(false)
    expect(isSameJson('{"a":1', { a: 1 })).toBe(false)
    expect(isSameJson('', '')).toBe(false)
    expect(isSameJson('null', undefined)).toBe(false)
  })

  it('compares large texts as serializers write them', () => {
    const value = { rows: Array.from({ length: 200_000 }, (_, id) => ({ id, name: `row ${id}` })) }
    for (const indent of [0, 2, 4]) expect(isSameJson(JSON.stringify(value, undefined, indent), value)).toBe(true)
    expect(isSameJson(JSON.stringify(value), { rows: value.rows.slice(1) })).toBe(false)
  })
})
