import { storageConformance } from '@spillway/core/conformance/vitest'
import { fileHarness } from './support/file-harness.ts'

storageConformance(fileHarness, { thorough: process.env['SPILLWAY_SOAK'] !== undefined, large: true })
