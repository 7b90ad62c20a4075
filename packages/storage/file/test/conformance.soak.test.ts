import { join } from 'node:path'
import { testConformance } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { fileHarness } from './support/file-harness.ts'

testConformance(fileHarness, join(import.meta.dirname, '..'), { thorough: isFull, large: true })
