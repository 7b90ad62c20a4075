import { adapterSuite } from '@spillway-internal/adapter-suite/vitest'
import { harnesses } from './harness.ts'

// The middleware that its agents have runs the suite whole.
adapterSuite(harnesses, { isFurtherEntryPoint: true })
