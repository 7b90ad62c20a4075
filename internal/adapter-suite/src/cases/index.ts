import type { AdapterCase } from '../adapter-case.ts'
import { abortCases } from './abort-cases.ts'
import { callCases } from './call-cases.ts'
import { dependencyOf } from './case-dependencies.ts'
import { errorCases } from './error-cases.ts'
import { historyCases } from './history-cases.ts'
import { limitCases } from './limit-cases.ts'
import { loopCases } from './loop-cases.ts'
import { outageCases } from './outage-cases.ts'
import { outputCases } from './output-cases.ts'
import { referenceCases } from './reference-cases.ts'
import { replayCases } from './replay-cases.ts'
import { resultCases } from './result-cases.ts'
import { retrievalCases } from './retrieval-cases.ts'
import { sessionCases } from './session-cases.ts'
import { smallResultCases } from './small-result-cases.ts'
import { subAgentCases } from './sub-agent-cases.ts'
import { summaryCases } from './summary-cases.ts'
import { tokenCases } from './token-cases.ts'
import { turnCases } from './turn-cases.ts'

/** All cases, in the order of their files. */
export const ADAPTER_CASES: readonly AdapterCase[] = (
  [
    ...resultCases,
    ...smallResultCases,
    ...outputCases,
    ...errorCases,
    ...callCases,
    ...retrievalCases,
    ...loopCases,
    ...limitCases,
    ...sessionCases,
    ...referenceCases,
    ...subAgentCases,
    ...turnCases,
    ...outageCases,
    ...abortCases,
    ...replayCases,
    ...tokenCases,
    ...[...historyCases, ...summaryCases].map((one) => ({ ...one, needs: 'compactsHistory' as const })),
  ] satisfies AdapterCase[]
).map((one) => {
  const dependsOn = dependencyOf(one.id)
  return dependsOn === undefined ? one : { ...one, dependsOn }
})
