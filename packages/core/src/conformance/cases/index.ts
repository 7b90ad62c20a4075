import type { ConformanceCase } from '../harness.ts'
import { abortCases, concurrencyCases, harnessCases, outageCases } from './outage-cases.ts'
import { ageCases, quotaCases } from './age-cases.ts'
import { failureCases } from './combined/failure-cases.ts'
import { methodCases } from './combined/method-cases.ts'
import { sizeCases } from './combined/size-cases.ts'
import { useCases } from './combined/use-cases.ts'
import { contentCases, rangeCases } from './content-cases.ts'
import { contentTypeCases, metadataCases, storeCases } from './store-cases.ts'
import { deleteCases, listCases, pagingCases } from './list-cases.ts'
import { durabilityCases, instanceCases, maintenanceCases } from './durability-cases.ts'
import { keyCases, referenceCases } from './reference-cases.ts'
import { openCases, openEntryCases } from './open-cases.ts'
import { scopeCases } from './scope-cases.ts'
import { streamCases } from './stream-cases.ts'
import { turnCases } from './turn-cases.ts'

/** A case for every promise of a Spillway backend, in the order in which the suite runs them. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...harnessCases,
  ...contentCases,
  ...contentTypeCases,
  ...storeCases,
  ...referenceCases,
  ...keyCases,
  ...scopeCases,
  ...listCases,
  ...pagingCases,
  ...metadataCases,
  ...rangeCases,
  ...openCases,
  ...streamCases,
  ...openEntryCases,
  ...deleteCases,
  ...turnCases,
  ...ageCases,
  ...quotaCases,
  ...outageCases,
  ...abortCases,
  ...concurrencyCases,
  ...durabilityCases,
  ...instanceCases,
  ...sizeCases,
  ...methodCases,
  ...failureCases,
  ...useCases,
  ...maintenanceCases,
]
