import { parseExactJson } from '@spillway/text/internal/json'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDeepStrictEqual } from 'node:util'
import { decodeLossless, encodeLossless } from './history-format.ts'

const through = (value: unknown): unknown => decodeLossless(JSON.parse(JSON.stringify(encodeLossless(value))))

const value = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(null, undefined, true, NaN, Infinity, -Infinity, -0, 10n ** 30n),
    fc.string(),
    fc.double(),
    // Before Node.js 24, deep equality considers an invalid date different from every date.
    fc.date({ noInvalidDate: true }),
    fc.uint8Array(),
    fc.uint8Array().map((bytes) => Uint8Array.from(bytes).buffer),
    fc.webUrl().map((url) => new URL(url)),
  ),
  key: fc.oneof(fc.string(), fc.constantFrom('$spillway', 'value', '__proto__', 'constructor', 'toJSON')),
  array: fc.array(tie('value'), { maxLength: 4 }),
  object: fc
    .array(fc.tuple(tie('key') as fc.Arbitrary<string>, tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries) as object),
  value: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('array'), tie('object')),
})).value

function nested(levels: number): unknown {
  let whole: unknown = 'the end'
  for (let level = 0; level < levels; level += 1) whole = level % 2 === 0 ? [whole] : { next: whole }
  return whole
}

describe('encodeLossless', () => {
  it('writes JSON that decodes to the same value', () => {
    fc.assert(
      fc.property(value, (original) => {
        // A field `constructor` is compared like any other field.
        expect(isDeepStrictEqual(through(original), original)).toBe(true)
      }),
    )
  })

  it('keeps invalid dates', () => {
    expect(through([new Date(NaN)])).toStrictEqual([new Date(NaN)])
  })

  it('does not change JSON values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const plain: unknown = JSON.parse(JSON.stringify(json))
        expect(encodeLossless(plain)).toStrictEqual(plain)
      }),
    )
  })

  it('keeps the digits of numbers that JavaScript cannot represent', () => {
    const text = '{"id":1915883588174806058,"prices":[10.00,1e400]}'
    const encoded = JSON.stringify(encodeLossless(parseExactJson(text)))
    expect(encoded).toBe(text)
    expect(JSON.stringify(decodeLossless(parseExactJson(encoded)))).toBe(text)
  })

  it('keeps objects that imitate its own encoding', () => {
    const alike = { $spillway: 'bytes', value: 'AAAA' }
    expect(through(alike)).toStrictEqual(alike)
    expect(through(encodeLossless(alike))).toStrictEqual(encodeLossless(alike))
    expect(through({ $spillway: new Uint8Array([1]) })).toStrictEqual({ $spillway: new Uint8Array([1]) })
  })

  it('keeps keys like __proto__ as keys, and changes no prototype', () => {
    const hostile: unknown = JSON.parse('{ "__proto__": { "polluted": true }, "constructor": { "prototype": 1 } }')
    const back = through(hostile) as object
    expect(Object.keys(back)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  it('encodes class instances as objects, and buffers as bytes', () => {
    class Response {
      output = 'a text'
    }
    expect(through(new Response())).toStrictEqual({ output: 'a text' })
    expect(through(Buffer.from('hi'))).toStrictEqual(new Uint8Array([104, 105]))
  })

  it('keeps 1,000 levels, and rejects 100,000', () => {
    expect(through(nested(1_000))).toStrictEqual(nested(1_000))
    expect(() => encodeLossless(nested(100_000))).toThrow(/deeper than 1000 levels/)
    expect(() => decodeLossless(nested(100_000))).toThrow(TypeError)
  })

  it('rejects cycles and values without fields, and names their path', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = { cycle }
    expect(() => encodeLossless(cycle)).toThrow('The value at "self.cycle" cannot be encoded: it is part of itself.')
    expect(() => encodeLossless({ a: [() => 1] })).toThrow('The value at "a.0" cannot be encoded: it is a function.')
    for (const one of [new Map(), new Set(), /a/, new Error('x'), Symbol('x'), new Float64Array(1), new Blob([])])
      expect(() => encodeLossless(one)).toThrow(TypeError)
  })

  it('encodes a value twice if it is used in two places', () => {
    const shared = { text: 'a' }
    expect(through([shared, shared])).toStrictEqual([shared, shared])
  })
})

describe('decodeLossless', () => {
  it.each([
    [{ $spillway: 'map', value: 'x' }],
    [{ $spillway: 'bytes', value: 7 }],
    [{ $spillway: 'bigint', value: '1n' }],
  ])('rejects %j', (unknown) => {
    expect(() => decodeLossless(unknown)).toThrow(/has the unknown tag/)
  })

  it('rejects invalid URLs', () => {
    expect(() => decodeLossless({ $spillway: 'url', value: 'x' })).toThrow(TypeError)
  })
})
