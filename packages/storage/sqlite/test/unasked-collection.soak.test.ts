import { testUnaskedCollection } from '@spillway-internal/storage-suite'
import { sqliteHarness } from './sqlite-harness.ts'

testUnaskedCollection(sqliteHarness)
