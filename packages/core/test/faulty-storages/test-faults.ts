import { describe, expect, test } from 'vitest'
import { runConformance } from '../../src/conformance/index.ts'
import { tinyHarness } from '../tiny-storage.ts'
import type { Fault } from './fault.ts'

/** At full length, every case runs on every faulty storage, and no other case than the declared may fail. */
const WHOLE_SUITE = process.env['SPILLWAY_SOAK'] !== undefined

/** Test that each faulty storage is caught by the case named beside it, and fails exactly the cases that it must. */
export function testFaults(area: string, faults: readonly Fault[]): void {
  describe(`faulty storages: ${area}`, () => {
    test.each(faults.map((fault) => [fault.name, fault.caughtBy, fault] as const))(
      'a storage that %s is caught by %s',
      async (_name, caughtBy, fault) => {
        const expected = [caughtBy, ...(fault.also ?? [])]
        const named = [...expected, 'harness/*']
        const filter = (id: string): boolean => WHOLE_SUITE || named.some((name) => covers(name, id))
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
