import { adapterSuite } from '@spillway-internal/adapter-suite/vitest'
import { harnesses } from './harness.ts'

// The whole suite already runs with the middleware of these agents.
adapterSuite(harnesses, { isFurtherEntryPoint: true })
