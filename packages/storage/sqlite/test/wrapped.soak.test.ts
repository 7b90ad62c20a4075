import { furtherWrappedOptions, testedWrappings } from '@spillway-internal/storage-suite'
import { wrappedHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { sqliteHarness } from './sqlite-harness.ts'

for (const wrapping of testedWrappings)
  storageConformance(wrappedHarness(sqliteHarness, wrapping), furtherWrappedOptions)
