import { join } from 'node:path'
import { isSoak, testConformance } from '@spillway-internal/storage-testing'
import { fileHarness } from './support/file-harness.ts'

testConformance(fileHarness, join(import.meta.dirname, '..'), { thorough: isSoak, large: true })
