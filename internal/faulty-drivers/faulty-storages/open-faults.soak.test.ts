import { openFaults } from './open-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults('open', openFaults)
