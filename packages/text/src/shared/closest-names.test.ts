import { expect, it } from 'vitest'
import { closestNames, editDistance } from './closest-names.ts'

const names = ['created_at', 'user_id', 'status', 'Unit Price', 'x']

it.each([
  ['staus', ['status']],
  ['userId', ['user_id']],
  ['created', ['created_at']],
  ['unit_price', ['Unit Price']],
  ['zebra', []],
  ['', []],
])('closestNames finds the most similar names to %j', (name, closest) =>
  expect(closestNames(name, names, 3)).toEqual(closest),
)

it('closestNames returns the closest names first, up to the limit', () => {
  expect(closestNames('item', ['items', 'Item', 'stem', 'time'], 2)).toEqual(['Item', 'items'])
})

it.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['abc', 'abc', 0],
  ['status', 'staus', 1],
  ['kitten', 'sitting', 3],
  ['ab', 'ba', 1],
])('the distance from %j to %j is %i', (one, two, distance) => {
  expect(editDistance(one, two)).toBe(distance)
  expect(editDistance(two, one)).toBe(distance)
})
