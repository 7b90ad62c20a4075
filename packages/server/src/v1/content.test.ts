import { expect, it } from 'vitest'
import { parseRange } from './content.ts'

it.each([
  [null, 10, undefined],
  ['bytes=0-3', 10, { start: 0, end: 4 }],
  ['bytes=4-', 10, { start: 4, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['bytes=8-99', 10, { start: 8, end: 10 }],
  ['BYTES=0-0', 10, { start: 0, end: 1 }],
  ['bytes=10-', 10, 'beyond'],
  ['bytes=-0', 10, 'beyond'],
  ['bytes=0-', 0, 'beyond'],
  ['bytes=-1', 0, 'beyond'],
  ['bytes=5-4', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['bytes=-', 10, undefined],
  ['items=0-1', 10, undefined],
  ['bytes=99999999999999999999-', 10, undefined],
])('the range %j of %d bytes is %j', (header, size, expected) => {
  expect(parseRange(header, size)).toEqual(expected)
})
