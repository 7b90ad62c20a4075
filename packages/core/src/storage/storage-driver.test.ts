import { expect, test } from 'vitest'
import { entryId, idPrefix, splitId } from './entry-names.ts'

test.each([
  ['', 'ref'],
  ['a', 'ref'],
  ['a/b', 'ref'],
])('an id joined from the path %j and the reference %j can be split again', (path, reference) => {
  expect(splitId(entryId(path, reference))).toEqual({ path, reference })
  expect(entryId(path, reference).startsWith(idPrefix(path))).toBe(true)
})
