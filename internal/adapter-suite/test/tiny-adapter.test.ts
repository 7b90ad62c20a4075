import { adapterSuite } from '../src/vitest.ts'
import { harnesses } from './harnesses.ts'

adapterSuite(harnesses)
