import { expect, it } from 'vitest'
import { editDistance } from './edit-distance.ts'

it.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['abc', 'abc', 0],
  ['status', 'staus', 1],
  ['kitten', 'sitting', 3],
  ['ab', 'ba', 1],
])('from %j to %j it is %i', (one, two, distance) => {
  expect(editDistance(one, two)).toBe(distance)
  expect(editDistance(two, one)).toBe(distance)
})
