import { adapterSuite } from '@spillway-internal/adapter-testing/vitest'
import { harnesses } from './harness.ts'

// The middleware that its agents have runs the suite whole.
adapterSuite(harnesses, { isFurtherEntryPoint: true })
