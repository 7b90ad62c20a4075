import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

test('forgets the oldest entry beyond its size', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([undefined, 2, 3, 2])
})

test('takes an entry that was set again for the newest', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4])
})

test('has room again after an entry was deleted', () => {
  const map = new BoundedMap<string, number>(1)
  map.set('a', 1)
  map.delete('a')
  expect(map.size).toBe(0)
  map.set('b', 2)
  expect(map.get('b')).toBe(2)
})
