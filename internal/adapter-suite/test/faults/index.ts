import type { AdapterHarness } from '../../src/index.ts'
import { tinyHarness } from '../tiny-harness.ts'
import { callFaults } from './call-faults.ts'
import type { Fault } from './fault.ts'
import { historyFaults } from './history-faults.ts'
import { resultFaults } from './result-faults.ts'
import { toolFaults } from './tool-faults.ts'

/** Every way to get an adapter wrong that a case is known to catch. */
export const FAULTS: readonly Fault[] = [...resultFaults, ...callFaults, ...toolFaults, ...historyFaults]

/** A faulty adapter for each of them, by its name; cases with a process of their own import it. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  FAULTS.map(({ name, create }) => [name, tinyHarness(name, import.meta.url, create())]),
)
