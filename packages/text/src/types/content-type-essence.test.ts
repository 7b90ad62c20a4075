import { expect, test } from 'vitest'
import { contentTypeEssence } from './content-type-essence.ts'

test.each([
  ['text/plain', 'text/plain'],
  [' Text/HTML ; charset=utf-8; q=1', 'text/html'],
  ['', ''],
  [';', ''],
])('takes %j for %j', (contentType, essence) => {
  expect(contentTypeEssence(contentType)).toBe(essence)
})
