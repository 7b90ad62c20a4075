import { pagingFaults } from './paging-faults.ts'
import { testFaults } from './test-faults.ts'

testFaults('paging', pagingFaults)
