import { join } from 'node:path'
import { testConformance } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { memoryHarness } from '../test/memory-harness.ts'

testConformance(memoryHarness, join(import.meta.dirname, '..'), { thorough: isFull, large: true })
