import { testFewOpenFiles, testUnaskedCollection } from '@spillway-internal/storage-suite'
import { sqliteHarness } from './sqlite-harness.ts'
import { BACKEND } from './support/backend-url.ts'
import { temporaryPath } from './support/temporary-path.ts'

testUnaskedCollection(sqliteHarness)
testFewOpenFiles(async () => ({ module: BACKEND, config: { path: await temporaryPath() } }))
