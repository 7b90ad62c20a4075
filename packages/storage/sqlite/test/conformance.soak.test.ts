import { join } from 'node:path'
import { isSoak, testConformance } from '@spillway-internal/storage-testing'
import { sqliteHarness } from './sqlite-harness.ts'

testConformance(sqliteHarness, join(import.meta.dirname, '..'), { thorough: isSoak, large: true })
