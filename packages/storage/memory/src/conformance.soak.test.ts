import { join } from 'node:path'
import { testReadmeReport } from '@spillway-internal/storage-testing'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { memoryHarness } from '../test/memory-harness.ts'

const soak = process.env['SPILLWAY_SOAK'] !== undefined

storageConformance(memoryHarness, { thorough: soak, large: soak })
testReadmeReport(memoryHarness, join(import.meta.dirname, '..'))
