import { expect, test } from 'vitest'
import { tinyHarness } from '../../test/tiny-storage.ts'
import type { CaseResult } from './report.ts'
import { storageConformance } from './vitest.ts'

const results: CaseResult[] = []

// This file tests the binding by its use: it registers the suite itself, and a known gap that must fail.
storageConformance(tinyHarness({ name: 'a storage that keeps every promise' }))
storageConformance(
  {
    ...tinyHarness({
      name: 'a storage with a known gap',
      storage: (storage) => Object.assign(storage, { clear: async () => 0 }),
    }),
    knownGaps: { 'store/after-a-miss': 'this storage clears nothing' },
  },
  { filter: (id) => id === 'store/after-a-miss', onResult: (result) => results.push(result) },
)

test('onResult is called for each result', () => {
  expect(results).toMatchObject([{ id: 'store/after-a-miss', status: 'known-gap' }])
})
