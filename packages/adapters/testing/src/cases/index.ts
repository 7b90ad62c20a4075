import type { AdapterCase } from '../adapter-case.ts'
import { resultCases } from './result-cases.ts'

/** Every case, in the order of its file. */
export const ADAPTER_CASES: readonly AdapterCase[] = [...resultCases]
