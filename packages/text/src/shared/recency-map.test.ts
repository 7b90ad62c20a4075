import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecencyMap } from './recency-map.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const change = fc.oneof(
  fc.record({ change: fc.constant('set'), key, value: fc.nat(9) }),
  fc.record({ change: fc.constant('delete'), key, value: fc.constant(0) }),
)

test('is a map in which an entry that is set again moves to the end', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const map = new RecencyMap<string, number>()
      const model = new Map<string, number>()
      for (const one of changes) {
        const was = model.delete(one.key)
        if (one.change === 'delete') expect(map.delete(one.key)).toBe(was)
        else {
          map.set(one.key, one.value)
          model.set(one.key, one.value)
        }
        expect([...map]).toEqual([...model])
        expect([map.size, map.oldestKey]).toEqual([model.size, [...model.keys()][0]])
        for (const name of 'abcde') expect([map.get(name), map.has(name)]).toEqual([model.get(name), model.has(name)])
      }
      map.clear()
      expect([[...map], map.size, map.oldestKey, map.get('a')]).toEqual([[], 0, undefined, undefined])
      map.set('f', 1)
      expect([...map]).toEqual([['f', 1]])
    }),
  )
})
