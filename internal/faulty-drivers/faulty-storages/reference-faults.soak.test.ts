import { referenceFaults } from './reference-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults('reference', referenceFaults)
