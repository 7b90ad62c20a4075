import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  areDisjoint,
  complementOf,
  DIGITS,
  includesCharacter,
  sizeOf,
  SPACES,
  TEXT_EDGE,
  unionOf,
  WORD_CHARACTERS,
  type CharacterSet,
} from './character-set.ts'

const LAST = 40
const sets = fc
  .array(fc.tuple(fc.nat(LAST), fc.nat(6)), { maxLength: 6 })
  .map((ranges) => unionOf(...ranges.map(([first, length]): CharacterSet => [[first, first + length]])))

function charactersOf(set: CharacterSet): readonly number[] {
  return Array.from({ length: LAST + 10 }, (_, character) => character).filter((character) =>
    includesCharacter(set, character),
  )
}

test('sets are what their characters are', () => {
  fc.assert(
    fc.property(sets, sets, (one, other) => {
      const union = charactersOf(unionOf(one, other))
      expect(union).toEqual([...new Set([...charactersOf(one), ...charactersOf(other)])].sort((a, b) => a - b))
      const common = charactersOf(one).filter((character) => includesCharacter(other, character))
      expect(areDisjoint(one, other)).toBe(common.length === 0)
      expect(areDisjoint(one, complementOf(one))).toBe(true)
      expect(sizeOf(one) + sizeOf(complementOf(one))).toBe(0x110000)
      expect(sizeOf(one)).toBe(charactersOf(one).length)
    }),
  )
})

test('the edge is no character', () => {
  expect(complementOf([])).toEqual([[0, 0x10ffff]])
  expect(areDisjoint(complementOf([]), TEXT_EDGE)).toBe(true)
  expect(complementOf(unionOf([[0, 0x10ffff]], TEXT_EDGE))).toEqual([])
})

test.each([
  [/\d/, DIGITS],
  [/\w/, WORD_CHARACTERS],
  [/\s/, SPACES],
])('%s is as in JavaScript', (expression, set) => {
  const differing = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(
    (unit) => expression.test(String.fromCharCode(unit)) !== includesCharacter(set, unit),
  )
  expect(differing).toEqual([])
})
