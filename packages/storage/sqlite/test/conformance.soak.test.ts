import { join } from 'node:path'
import { testConformance } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { sqliteHarness } from './sqlite-harness.ts'

testConformance(sqliteHarness, join(import.meta.dirname, '..'), { thorough: isFull, large: true })
