import type { ConformanceCase } from '../conformance-case.ts'
import { abortCases } from './abort-cases.ts'
import { ageCases } from './age-cases.ts'
import { concurrencyCases } from './concurrency-cases.ts'
import { contentCases } from './content-cases.ts'
import { contentTypeCases } from './content-type-cases.ts'
import { deleteCases } from './delete-cases.ts'
import { durabilityCases } from './durability-cases.ts'
import { harnessCases } from './harness-cases.ts'
import { instanceCases } from './instance-cases.ts'
import { keyCases } from './key-cases.ts'
import { listCases } from './list-cases.ts'
import { metadataCases } from './metadata-cases.ts'
import { openCases } from './open-cases.ts'
import { outageCases } from './outage-cases.ts'
import { pagingCases } from './paging-cases.ts'
import { quotaCases } from './quota-cases.ts'
import { rangeCases } from './range-cases.ts'
import { referenceCases } from './reference-cases.ts'
import { scopeCases } from './scope-cases.ts'
import { storeCases } from './store-cases.ts'
import { streamCases } from './stream-cases.ts'
import { turnCases } from './turn-cases.ts'

/**
 * Every promise of a Spillway backend as a case, in the order in which they run.
 *
 * @example
 * ```ts
 * import { conformanceCases } from '@spillway/core/conformance'
 *
 * const ids = conformanceCases.map(({ id }) => id)
 * console.assert(ids.includes('scope/look-alike-sibling-survives-clear') && new Set(ids).size === ids.length)
 * ```
 */
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
  ...deleteCases,
  ...turnCases,
  ...ageCases,
  ...quotaCases,
  ...outageCases,
  ...abortCases,
  ...concurrencyCases,
  ...durabilityCases,
  ...instanceCases,
]
