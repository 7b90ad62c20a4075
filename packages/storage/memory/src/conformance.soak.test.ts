import { join } from 'node:path'
import { isSoak, testConformance } from '@spillway-internal/storage-testing'
import { memoryHarness } from '../test/memory-harness.ts'

testConformance(memoryHarness, join(import.meta.dirname, '..'), { thorough: isSoak, large: true })
