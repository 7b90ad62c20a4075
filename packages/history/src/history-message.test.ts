import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isEqualValue } from './history-message.ts'

it('copies are equal, and JSON values are equal only if their texts are equal', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(isEqualValue(a, structuredClone(a))).toBe(true)
      if (JSON.stringify(a) !== JSON.stringify(b)) expect(isEqualValue(a, b)).toBe(false)
    }),
  )
})

it.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, false],
  [{ a: undefined }, {}, false],
  [[1, 2], { 0: 1, 1: 2 }, false],
  [new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
  [new Uint8Array([1, 2]), new Uint8Array([1, 3]), false],
  [new Uint8Array([1]).buffer, new Uint8Array([1]).buffer, true],
  [new URL('https://a.example/x'), new URL('https://a.example/x'), true],
  [new URL('https://a.example/x'), new URL('https://a.example/y'), false],
  [new Date(5), new Date(5), true],
  [new Date(5), new Date(6), false],
  [new Date(Number.NaN), new Date(Number.NaN), true],
  [Number.NaN, Number.NaN, true],
  [null, {}, false],
  ['1', 1, false],
])('isEqualValue(%o, %o) is %s', (a, b, isEqual) => {
  expect(isEqualValue(a, b)).toBe(isEqual)
})

it('values that are nested too deeply count as different, without an error', () => {
  const nested = (): unknown => {
    let value: unknown = 1
    for (let depth = 0; depth < 50_000; depth++) value = [value]
    return value
  }
  expect(isEqualValue(nested(), nested())).toBe(false)
})
