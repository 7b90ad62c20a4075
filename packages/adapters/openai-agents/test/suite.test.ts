import { join } from 'node:path'
import { adapterSuite } from '@spillway-internal/adapter-suite/vitest'
import { harnesses } from './harness.ts'

adapterSuite(harnesses, { readme: join(import.meta.dirname, '../README.md') })
