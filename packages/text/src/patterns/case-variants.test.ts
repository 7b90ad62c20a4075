import { expect, test } from 'vitest'
import { caseVariants, complementWithCases, withAllCases } from './case-variants.ts'
import { includesCharacter } from './character-set.ts'

const UNITS = Array.from({ length: 0x10000 }, (_, unit) => unit)
/** Letters of ASCII, those that lead to them, and those with several or odd cases. */
const LETTERS = Array.from('aKkSsZ_1éÉßµſ\u212aÅåΣσςİıǅǄǆΩ\u2126ῼŸÿ')

test.each(LETTERS)('%s has the variants that the flag i takes for the same', (letter) => {
  const expression = new RegExp(letter, 'i')
  const same = UNITS.filter((unit) => expression.test(String.fromCharCode(unit)))
  expect(caseVariants(letter.charCodeAt(0))).toEqual(same)
})

test.each(LETTERS)('%s is widened to all that the flags match at least, and narrowed to no more', (letter) => {
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
})
