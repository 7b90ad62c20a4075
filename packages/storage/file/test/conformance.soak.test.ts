import { join } from 'node:path'
import { isSoak, testReadmeReport } from '@spillway-internal/storage-testing'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { fileHarness } from './support/file-harness.ts'

storageConformance(fileHarness, { thorough: isSoak, large: true })
testReadmeReport(fileHarness, join(import.meta.dirname, '..'))
