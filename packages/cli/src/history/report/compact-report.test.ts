import type { HistoryRole } from '@spillway/history'
import { expect, test } from 'vitest'
import { messageTable } from './compact-report.ts'
import type { MessageRow } from './message-row.ts'

const rowOf = (number: number, role: HistoryRole, before: number, after: number, more = {}): MessageRow => ({
  number,
  line: undefined,
  role,
  tool: '',
  before,
  after,
  reason: 'within-limits',
  what: '',
  ...more,
})

test('a compaction report has a row for each message, and their sums', () => {
  const rows = [rowOf(1, 'user', 12, 12), rowOf(2, 'tool', 12_345, 160, { tool: 'read_log', what: 'reference' })]
  expect(messageTable(rows)).toBe(`\
#  ROLE  TOOL      BEFORE  AFTER
1  user                12     12
2  tool  read_log  12,345    160  reference
   all             12,357    172
`)
})

test('a compaction report has file lines if there are no message numbers, and no control characters', () => {
  const [, line] = messageTable([rowOf(1, 'tool', 1, 1, { line: 7, tool: `evil\u001B[2J${'x'.repeat(50)}` })]).split(
    '\n',
  )
  expect(line).toMatch(/^1 {5}7 {2}tool {2}evil␛\[2Jx{23}… {7}1 {6}1$/)
})

test('a compaction report of many messages shows the largest in order, and the sums of each role', () => {
  const rows = Array.from({ length: 100 }, (_, index) => rowOf(index + 1, index % 2 === 0 ? 'user' : 'tool', index, 1))
  const table = messageTable(rows)
  expect(table).toContain('80 smaller messages are not shown.')
  const numbers = Array.from(table.matchAll(/^ *(\d+) {2}(?:user|tool)/gm), ([, number]) => Number(number))
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 81))
  expect(table).toMatch(/^user +50 +2,450 +50\ntool +50 +2,500 +50\nall +100 +4,950 +100\n$/m)
})
