import { testUnaskedCollection } from '@spillway-internal/storage-suite'
import { fileHarness } from './support/file-harness.ts'

testUnaskedCollection(fileHarness)
