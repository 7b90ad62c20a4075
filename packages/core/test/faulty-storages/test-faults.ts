import { describe, expect, test } from 'vitest'
import { runConformance } from '../../src/conformance/index.ts'
import { tinyHarness } from '../tiny-storage.ts'
import type { Fault } from './fault.ts'

/** Test that each faulty storage is caught by the case named beside it, and fails exactly the cases that it must. */
export function testFaults(area: string, faults: readonly Fault[]): void {
  describe(`faulty storages: ${area}`, () => {
    test.each(faults.map((fault) => [fault.name, fault.caughtBy, fault] as const))(
      'a storage that %s is caught by %s',
      async (_name, caughtBy, fault) => {
        const { results } = await runConformance(tinyHarness(fault))
        const failed = results.filter(({ status }) => status !== 'passed' && status !== 'skipped')
        const expected = [caughtBy, ...(fault.also ?? [])]
        expect(failed.find(({ id }) => id === caughtBy)?.failure).toMatchObject({ kind: 'promise' })
        expect(failed.filter(({ id }) => !expected.some((named) => covers(named, id)))).toEqual([])
        expect(expected.filter((named) => !failed.some(({ id }) => covers(named, id)))).toEqual([])
        expect(failed.filter(({ failure }) => failure?.kind === 'setup' || failure?.kind === 'teardown')).toEqual([])
      },
    )
  })
}

const covers = (named: string, id: string): boolean =>
  named.endsWith('*') ? id.startsWith(named.slice(0, -1)) : named === id
