import { expect, test } from 'vitest'
import { tinyHarness } from '../../test/tiny-storage.ts'
import { runConformance } from './run.ts'

test('a storage that keeps every promise passes everything', async () => {
  const report = await runConformance(tinyHarness())
  expect(report.results.filter(({ status }) => status !== 'passed' && status !== 'skipped')).toEqual([])
  expect(report.ok).toBe(true)
})
