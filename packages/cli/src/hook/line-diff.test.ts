import { expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

const lines = (...numbers: readonly (number | string)[]): string => numbers.map((number) => `${number}\n`).join('')

it('says nothing of equal texts', () => {
  expect(lineDiff('a\n', 'a\n', 'x')).toBe('')
})

it('shows a change with three lines around it, and two that are far apart as two', () => {
  const before = Array.from({ length: 30 }, (_, index) => index)
  const after = before.flatMap((number) => (number === 4 ? [4, 'new'] : number === 20 ? ['other'] : [number]))
  expect(lineDiff(lines(...before), lines(...after), 'f.json')).toBe(
    '--- f.json\n+++ f.json\n' +
      '@@ -3,6 +3,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n' +
      '@@ -18,7 +19,7 @@\n 17\n 18\n 19\n-20\n+other\n 21\n 22\n 23\n',
  )
})

it('shows a file that comes and one that goes', () => {
  expect(lineDiff('', 'a\n', 'f')).toBe('--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n')
  expect(lineDiff('a\n', '', 'f')).toBe('--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n')
})
