import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCallIds } from './call-ids.ts'

const RULES = { maxLength: 8, forbidden: /[^\w-]/g }

it('gives ids that an API accepts, each once, and finds those of results in the order of calls', () => {
  const id = fc.oneof(fc.constantFrom('a', 'a.', 'a_', 'a_2', '', 'abcdefgh', 'abcdefghi'), fc.string())
  fc.assert(
    fc.property(fc.array(id, { maxLength: 30 }), (originals) => {
      const ids = createCallIds([], RULES)
      const given = originals.map((original) => ids.ofCall(original))
      expect(new Set(given).size).toBe(given.length)
      for (const one of given) expect(one).toMatch(/^[\w-]{1,8}$/)
      expect(originals.map((original) => ids.ofResult(original))).toEqual(
        originals.map((original, at) => given[originals.slice(0, at + 1).length - 1] ?? original),
      )
    }),
  )
})

it('leaves ids that are accepted, and takes none of calls that are there', () => {
  const call = { type: 'tool-call', id: 'a', name: 'read', input: {}, inputIsText: false } as const
  const ids = createCallIds([{ role: 'assistant', parts: [call] }], RULES)
  expect([ids.ofCall('b'), ids.ofCall('a')]).toEqual(['b', 'a_2'])
  expect([ids.ofResult('b'), ids.ofResult('a'), ids.ofResult('a'), ids.ofResult('x.y')]).toEqual([
    'b',
    'a_2',
    'a_2',
    'x_y',
  ])
})

it('answers calls that are not converted', () => {
  const call = { type: 'tool-call', id: 'a.b', name: 'read', input: {}, inputIsText: false } as const
  expect(createCallIds([{ role: 'assistant', parts: [call] }], RULES).ofResult('a.b')).toBe('a.b')
})
