import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NulFilter, withoutNuls } from './without-nuls.ts'

it.each([
  ['plain', 'plain'],
  ['E\0R\0R\0O\0R\0', 'ERROR'],
  ['\0E\0R\0R\0O\0R', 'ERROR'],
  ['./one\0./two\0', './one ./two '],
  [`node-1${'\0'.repeat(10)} ready`, 'node-1 ready'],
  ['ab\0cd', 'ab cd'],
])('previews %j as %j', (text, shown) => {
  expect(withoutNuls(text)).toBe(shown)
})

it('gives the same of a text that arrives in pieces', () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom('\0', 'a', 'b', '\n'), maxLength: 5 }))
  fc.assert(
    fc.property(pieces, (split) => {
      const filter = new NulFilter()
      const shown = split.map((piece) => filter.push(piece)).join('') + filter.finish()
      expect(shown).toBe(withoutNuls(split.join('')))
    }),
    propertyRuns(300, 6_000),
  )
})
