import { testFewOpenFiles, testUnaskedCollection } from '@spillway-internal/storage-suite'
import { fileBackend } from './soak-backend.ts'
import { fileHarness } from './support/file-harness.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

testUnaskedCollection(fileHarness)
testFewOpenFiles(async () => fileBackend(await temporaryDirectory()))
