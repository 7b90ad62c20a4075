import { describe, expect, it } from 'vitest'
import { runConformance } from '@spillway/core/conformance'
import { tinyHarness } from '../../../packages/core/test/tiny-storage.ts'
import type { Fault } from './fault.ts'

/**
 * Test that each faulty storage fails the case in `caughtBy`, and each case in `also`.
 */
export function testFaults(area: string, faults: readonly Fault[]): void {
  describe(`faulty storages: ${area}`, () => {
    it.each(faults.map((fault) => [fault.name, fault.caughtBy, fault] as const))(
      'includes a storage that %s, which %s catches',
      async (_name, caughtBy, fault) => {
        const expected = [caughtBy, ...(fault.also ?? [])]
        const named = [...expected, 'harness/*']
        const filter = (id: string): boolean => named.some((name) => covers(name, id))
        const { results } = await runConformance(tinyHarness(fault), { filter })
        const failed = results.filter(({ status }) => status !== 'passed' && status !== 'skipped')
        expect(failed.find(({ id }) => id === caughtBy)?.failure).toMatchObject({ kind: 'promise' })
        expect(failed.filter(({ id }) => !expected.some((name) => covers(name, id)))).toEqual([])
        expect(expected.filter((name) => !failed.some(({ id }) => covers(name, id)))).toEqual([])
        expect(failed.filter(({ failure }) => failure?.kind === 'setup' || failure?.kind === 'teardown')).toEqual([])
      },
    )
  })
}

const covers = (name: string, id: string): boolean =>
  name.endsWith('*') ? id.startsWith(name.slice(0, -1)) : name === id
