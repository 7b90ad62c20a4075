import { join } from 'node:path'
import { adapterSuite } from '@spillway-internal/adapter-testing/vitest'
import { vi } from 'vitest'
import { harnesses } from './harness.ts'

vi.setConfig({ testTimeout: 180_000 })
adapterSuite(harnesses)
