import { furtherWrappedOptions, testedWrappings } from '@spillway-internal/storage-suite'
import { wrappedHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { memoryHarness } from './memory-harness.ts'

for (const wrapping of testedWrappings)
  storageConformance(wrappedHarness(memoryHarness, wrapping), furtherWrappedOptions)
