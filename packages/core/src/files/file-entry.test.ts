import { expect, it } from 'vitest'
import { refuseFilePath } from './file-entry.ts'

it.each(['/a', '/notes/plan.md', '/.env', '/...', '/a b', '/é/😀', '/a@1', '/__proto__', `/${'a'.repeat(1_023)}`])(
  'a file entry may be %j',
  (path) => expect(refuseFilePath(path)).toBeUndefined(),
)

it.each([
  ['', 'must be a text'],
  [7, 'must be a text'],
  [undefined, 'must be a text'],
  ['notes.md', 'Begin it with a slash'],
  ['C:\\notes.md', 'Begin it with a slash'],
  ['/a/../b', 'without . and ..'],
  ['/./a', 'without . and ..'],
  ['/a//b', 'names no file'],
  ['/a/', 'names no file'],
  ['/', 'names no file'],
  ['/a\0b', 'control characters'],
  ['/a\u0085b', 'control characters'],
  ['/\uD800', 'control characters'],
  [`/${'a'.repeat(1_024)}`, 'Shorten it'],
])('a file entry cannot be %j, and the error says why', (path, why) => {
  expect(refuseFilePath(path)).toContain(why)
})
