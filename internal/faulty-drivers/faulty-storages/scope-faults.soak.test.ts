import { scopeFaults } from './scope-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults('scope', scopeFaults)
