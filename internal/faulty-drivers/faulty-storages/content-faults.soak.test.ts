import { contentFaults } from './content-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults('content', contentFaults)
