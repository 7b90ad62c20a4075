import { useFaults } from './use-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults('use', useFaults)
