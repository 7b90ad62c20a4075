import { sharedPostgres } from '@spillway-internal/services'
import { furtherWrappedOptions, testedWrappings } from '@spillway-internal/storage-suite'
import { wrappedHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { describe } from 'vitest'
import { postgresHarness } from './postgres-harness.ts'

const postgres = await sharedPostgres()

describe.skipIf(!postgres.available)('wrapped', () => {
  const harness = postgresHarness(postgres.available ? postgres.url : 'postgres://localhost:1/postgres')
  for (const wrapping of testedWrappings) storageConformance(wrappedHarness(harness, wrapping), furtherWrappedOptions)
})
