import { wrappedOptions, WRAPPINGS } from '@spillway-internal/storage-testing'
import { wrappedHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { memoryHarness } from './memory-harness.ts'

for (const wrapping of WRAPPINGS) storageConformance(wrappedHarness(memoryHarness, wrapping), wrappedOptions)
