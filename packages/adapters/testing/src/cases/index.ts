import type { AdapterCase } from '../adapter-case.ts'
import { errorCases } from './error-cases.ts'
import { outputCases } from './output-cases.ts'
import { resultCases } from './result-cases.ts'
import { smallResultCases } from './small-result-cases.ts'

/** Every case, in the order of its file. */
export const ADAPTER_CASES: readonly AdapterCase[] = [
  ...resultCases,
  ...smallResultCases,
  ...outputCases,
  ...errorCases,
]
