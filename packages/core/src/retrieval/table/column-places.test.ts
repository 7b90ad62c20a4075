import { expect, it } from 'vitest'
import { ColumnPlaces } from './column-places.ts'

const names = ['id', 'ID', 'Unit Price', 'column 1']

it.each([
  ['ID', 1],
  ['Id', 0],
  [' unit price ', 2],
  ['column 2', 1],
  ['column 1', 3],
  ['column 5', undefined],
  ['column 0', undefined],
  ['', undefined],
])('finds %j at %s', (name, place) => expect(new ColumnPlaces(names).find(name)).toBe(place))

it('finds columns that come later', () => {
  const growing = ['a']
  const places = new ColumnPlaces(growing)
  expect([places.find('b'), places.find('column 2')]).toEqual([undefined, undefined])
  growing.push('B')
  expect([places.find('b'), places.find('column 2')]).toEqual([1, 1])
})
