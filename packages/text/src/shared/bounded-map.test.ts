import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedMap, RecencyMap } from './bounded-map.ts'

test('a bounded map evicts the oldest entry beyond its size', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([undefined, 2, 3, 2])
})

test('a bounded map treats an entry as the newest if it was set again', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4])
})

test('a bounded map has space again after a delete', () => {
  const map = new BoundedMap<string, number>(1)
  map.set('a', 1)
  map.delete('a')
  expect(map.size).toBe(0)
  map.set('b', 2)
  expect(map.get('b')).toBe(2)
})

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')

const change = fc.oneof(
  fc.record({ change: fc.constant('set'), key, value: fc.nat(9) }),
  fc.record({ change: fc.constant('delete'), key, value: fc.constant(0) }),
)

test('a recency map equals a map in which setting an entry again moves it to the end', () => {
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
    }),
  )
})
