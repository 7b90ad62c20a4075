import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  areDisjoint,
  complementOf,
  complementWithCases,
  DIGITS,
  includesCharacter,
  sizeOf,
  SPACES,
  TEXT_EDGE,
  unionOf,
  withAllCases,
  WORD_CHARACTERS,
  type CharacterSet,
} from './pattern-tree.ts'

const LAST = 40

const sets = fc
  .array(fc.tuple(fc.nat(LAST), fc.nat(6)), { maxLength: 6 })
  .map((ranges) => unionOf(...ranges.map(([first, length]): CharacterSet => [[first, first + length]])))

function charactersOf(set: CharacterSet): readonly number[] {
  return Array.from({ length: LAST + 10 }, (_, character) => character).filter((character) =>
    includesCharacter(set, character),
  )
}

test('a character set contains exactly its characters', () => {
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

test('the edge of a line is not a character', () => {
  expect(complementOf([])).toEqual([[0, 0x10ffff]])
  expect(areDisjoint(complementOf([]), TEXT_EDGE)).toBe(true)
  expect(complementOf(unionOf([[0, 0x10ffff]], TEXT_EDGE))).toEqual([])
})

test.each([
  [/\d/, DIGITS],
  [/\w/, WORD_CHARACTERS],
  [/\s/, SPACES],
])('%s matches as in JavaScript', (expression, set) => {
  const differing = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(
    (unit) => expression.test(String.fromCharCode(unit)) !== includesCharacter(set, unit),
  )
  expect(differing).toEqual([])
})

const UNITS = Array.from({ length: 0x10000 }, (_, unit) => unit)
/** ASCII letters, characters that equal them if case is ignored, and characters with several or unusual cases. */
const LETTERS = Array.from('aKkSsZ_1éÉßµſ\u212aÅåΣσςİıǅǄǆΩ\u2126ῼŸÿ')

test.each(LETTERS)(
  'the cases of %s are supersets of the matches of its class and its negated class, with the flags i and iu',
  (letter) => {
    const code = letter.charCodeAt(0)
    for (const flags of ['i', 'iu']) {
      const set = withAllCases([[code, code]], flags === 'iu')
      const complement = complementWithCases([[code, code]])
      const [expression, negated] = [new RegExp(`[${letter}]`, flags), new RegExp(`[^${letter}]`, flags)]
      const missing = UNITS.filter((unit) => {
        const text = String.fromCharCode(unit)
        if (expression.test(text) && !includesCharacter(set, unit)) return true
        return negated.test(text) && !includesCharacter(complement, unit)
      })
      expect(missing).toEqual([])
    }
  },
)
