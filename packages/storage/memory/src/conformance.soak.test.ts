import { join } from 'node:path'
import { testConformance } from '@spillway-internal/storage-suite'
import { memoryHarness } from '../test/memory-harness.ts'

// Thorough runs are needed only here, because the engine encodes scope names in the same way for every driver.
testConformance(memoryHarness, join(import.meta.dirname, '..'), { thorough: true })
