import { isFull } from '@spillway-internal/test-run'
import { expect, test } from 'vitest'
import { tinyHarness } from '../../test/tiny-storage.ts'
import { conformanceCases } from './cases/index.ts'
import type { CaseResult } from './report.ts'
import { storageConformance } from './vitest.ts'

const results: CaseResult[] = []

/** Cases that `conformance-cases.test.ts` cannot run with only the methods that they require. */
const needsDriver = new Set(conformanceCases.filter((one) => one.needsDriver === true).map(({ id }) => id))

// This file tests the binding by its use: it registers the suite itself, and a known gap that must fail.
storageConformance(tinyHarness({ name: 'a storage that keeps every promise' }), {
  filter: (id) => isFull || needsDriver.has(id) || id.startsWith('content/'),
})
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
