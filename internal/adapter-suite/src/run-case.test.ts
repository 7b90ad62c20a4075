import { expect, test } from 'vitest'
import type { AdapterCase } from './adapter-case.ts'
import type { AdapterHarness } from './harness.ts'
import { runCase } from './run-case.ts'

const passing: AdapterCase = { id: 'a/case', title: 'passes', run: async () => {} }
const failing: AdapterCase = { ...passing, run: () => Promise.reject(new Error('a broken promise')) }

function harness(gaps: AdapterHarness['gaps'] = {}): AdapterHarness {
  return { name: 'a framework', gaps, moduleUrl: import.meta.url, run: () => Promise.reject(new Error('not needed')) }
}

test('a case rejects if its promise is broken', async () => {
  await expect(runCase(harness(), passing)).resolves.toBeUndefined()
  await expect(runCase(harness(), failing)).rejects.toThrow('a broken promise')
  await expect(runCase(harness({ 'another/case': 'it cannot' }), failing)).rejects.toThrow('a broken promise')
})

test('a case that is a known gap must fail', async () => {
  await expect(runCase(harness({ 'a/case': 'it cannot' }), failing)).resolves.toBeUndefined()
  await expect(runCase(harness({ 'a/case': 'it cannot' }), passing)).rejects.toThrow(/take the gap out.*it cannot/)
})
