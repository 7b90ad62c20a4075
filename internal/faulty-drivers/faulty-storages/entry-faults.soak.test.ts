import { entryFaults } from './entry-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults('entry', entryFaults)
