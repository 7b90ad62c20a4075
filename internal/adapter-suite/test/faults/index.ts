import type { AdapterHarness } from '../../src/index.ts'
import { tinyHarness } from '../tiny-harness.ts'
import { callFaults } from './call-faults.ts'
import type { Fault } from './fault.ts'
import { historyFaults } from './history-faults.ts'
import { resultFaults } from './result-faults.ts'
import { toolFaults } from './tool-faults.ts'

/** Faulty adapters that cases must catch. */
export const FAULTS: readonly Fault[] = [...resultFaults, ...callFaults, ...toolFaults, ...historyFaults]

/** Harnesses of the faulty adapters by name. Cases that start a new process import this object. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  FAULTS.map(({ name, create }) => [name, tinyHarness(name, import.meta.url, create())]),
)
