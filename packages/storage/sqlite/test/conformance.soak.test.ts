import { join } from 'node:path'
import { testConformance } from '@spillway-internal/storage-suite'
import { sqliteHarness } from './sqlite-harness.ts'

testConformance(sqliteHarness, join(import.meta.dirname, '..'))
