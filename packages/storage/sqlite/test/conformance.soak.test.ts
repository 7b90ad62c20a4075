import { join } from 'node:path'
import { testReadmeReport } from '@spillway-internal/storage-testing'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { sqliteHarness } from './sqlite-harness.ts'

const soak = process.env['SPILLWAY_SOAK'] !== undefined

storageConformance(sqliteHarness, { thorough: soak, large: true })
testReadmeReport(sqliteHarness, join(import.meta.dirname, '..'))
