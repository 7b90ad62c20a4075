import { join } from 'node:path'
import { testConformance } from '@spillway-internal/storage-suite'
import { fileHarness } from './support/file-harness.ts'

// The limit itself is tested with planted tombstones, in `leftovers.test.ts`.
testConformance(fileHarness, join(import.meta.dirname, '..'), { inFullRuns: /^turns\/tombstones-bounded$/ })
