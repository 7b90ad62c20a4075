import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeExpression } from './escape-expression.ts'

const text = fc.string({ unit: fc.constantFrom(...Array.from('\\^$.*+?()[]{}|/-,#\n aβ😀')) })

test.each(['', 'u', 's', 'm'])('an escaped text matches itself and nothing else, with the flags "%s"', (flags) => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const whole = new RegExp(`^(?:${escapeExpression(one)})$`, flags.replace('m', ''))
      expect(whole.test(one)).toBe(true)
      expect(whole.test(other)).toBe(one === other)
      const found = new RegExp(escapeExpression(one), flags).exec(`${other}${one}`)
      expect(found?.[0]).toBe(one)
      expect(found?.index).toBe(`${other}${one}`.indexOf(one))
    }),
  )
})
