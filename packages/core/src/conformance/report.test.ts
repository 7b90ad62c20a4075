import { expect, test } from 'vitest'
import { explainFailure, formatReport, type CaseResult, type ConformanceReport } from './report.ts'

const results: readonly CaseResult[] = [
  { id: 'content/a', title: 'A | B', status: 'passed' },
  { id: 'content/b', title: 'B', status: 'passed' },
  { id: 'content/c', title: 'C', status: 'failed', detail: 'it is\nnot kept' },
  { id: 'kill/a', title: 'D', status: 'not-proven', detail: 'no power' },
  { id: 'kill/b', title: 'E', status: 'not-proven', detail: 'no power' },
  { id: 'locate/a', title: 'F', status: 'not-applicable', detail: 'no locate()' },
  { id: 'age/a', title: 'G', status: 'known-gap', detail: 'not built yet' },
  { id: 'age/b', title: 'H', status: 'gap-closed', detail: 'remove it' },
  { id: 'age/c', title: 'I', status: 'skipped', detail: 'large' },
  { id: 'age/d', title: 'J', status: 'known-gap', detail: 'not built yet' },
]
const report: ConformanceReport = { name: 'my-storage', level: 'full', ok: false, results }

test('a report has a row for each area, and then the cases that did not pass, with reasons', () => {
  expect(formatReport(report))
    .toBe(`\`my-storage\`, level \`full\`: 2 passed, 1 failed, 1 gap closed, 2 known gaps, 2 not proven, 1 not applicable.

| area    | passed | failed | gap closed | known gap | not proven | not applicable |
| ------- | -----: | -----: | ---------: | --------: | ---------: | -------------: |
| content |      2 |      1 |            |           |            |                |
| kill    |        |        |            |           |          2 |                |
| locate  |        |        |            |           |            |              1 |
| age     |        |        |          1 |         2 |            |                |

Failed:

- it is not kept (promised: C; likely mistake: a buffer is kept or returned instead of copied, or content is cut or decoded as text): \`content/c\`

Closed gaps, which the harness still declares:

- remove it: \`age/b\`

Known gaps:

- not built yet: \`age/a\`, \`age/d\`

Not proven:

- no power: \`kill/a\`, \`kill/b\`

Not applicable:

- no locate(): \`locate/a\`
`)
})

test('a report has one column if everything passed', () => {
  const passed = { ...report, ok: true, results: results.filter(({ status }) => status === 'passed') }
  expect(formatReport(passed)).toBe(`\`my-storage\`, level \`full\`: 2 passed.

| area    | passed |
| ------- | -----: |
| content |      2 |
`)
})

test('a report can have a row for each case', () => {
  const lines = formatReport(report, { everyCase: true }).split('\n')
  expect(lines).toContain('| `content/a` | A \\| B  | passed         |')
  expect(lines).toContain('| `kill/b`    | E       | not-proven     |')
})

test('the explanation of an error that a driver has thrown names the values for a missing entry', () => {
  const detail = 'deleting failed: StorageError unavailable: The storage could not delete a_1: ENOENT. Try again.'
  expect(explainFailure({ id: 'scope/case', title: 'A', status: 'failed', detail })).toContain(
    'likely mistake: the driver throws for a missing entry: read must return undefined, and remove false',
  )
})
