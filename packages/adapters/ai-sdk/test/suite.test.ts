import { adapterSuite } from '@spillway-internal/adapter-suite/vitest'
import { harnesses } from './harness.ts'

adapterSuite(harnesses)
