import { expect, test } from 'vitest'
import type { PlannedCase } from './plan.ts'
import { testName, throwUnlessExpected } from './test-binding.ts'

const one = { id: 'area/promise', title: 'A promise', run: async () => undefined }

test.each<[PlannedCase, string]>([
  [{ case: one, action: 'run' }, 'area/promise'],
  [{ case: one, action: 'run', knownGap: 'not built yet' }, 'area/promise [known gap: not built yet]'],
  [{ case: one, action: 'not-proven', reason: 'no power' }, 'area/promise [not proven: no power]'],
  [{ case: one, action: 'not-applicable', reason: 'no list()' }, 'area/promise [not applicable: no list()]'],
  [{ case: one, action: 'skipped' }, 'area/promise [skipped: no reason given]'],
])('names a test %#', (planned, name) => {
  expect(testName(planned)).toBe(name)
})

test('throws for what fails a run, with the promise and the cause', () => {
  const error = new Error('cause')
  const failure = { kind: 'promise', message: 'it is not kept', error } as const
  const result = { id: one.id, title: one.title, detail: 'it is not kept', failure }
  expect(() => throwUnlessExpected({ ...result, status: 'failed' })).toThrow(
    expect.objectContaining({ message: 'area/promise: it is not kept (promised: A promise)', cause: error }),
  )
  expect(() => throwUnlessExpected({ ...result, status: 'gap-closed' })).toThrow('area/promise')
  for (const status of ['passed', 'known-gap', 'not-proven', 'not-applicable', 'skipped'] as const)
    expect(() => throwUnlessExpected({ ...result, status })).not.toThrow()
})
