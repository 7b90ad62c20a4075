import { join } from 'node:path'
import { testConformance } from '@spillway-internal/storage-suite'
import { memoryHarness } from '../test/memory-harness.ts'

// For every driver, the engine encodes the names of scopes as it does here.
testConformance(memoryHarness, join(import.meta.dirname, '..'), { thorough: true })
