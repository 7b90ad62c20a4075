import { backendFaults } from './backend-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults('backend', backendFaults)
