import { readFile } from 'node:fs/promises'
import { isFull } from '@spillway-internal/test-run'
import { describe, expect, test } from 'vitest'
import { ADAPTER_CASES } from './cases/index.ts'
import type { AdapterHarness } from './harness.ts'
import { runCase } from './run-case.ts'
import { selectCases } from './select-cases.ts'

/** Only ends tests that hang. */
const TIMEOUT_MS = 180_000
/** Whether the framework is an older version. The variable is set as in `internal/peers/peer-sets.ts`. */
const isOlderVersion = process.env['SPILLWAY_TEST_PEERS'] !== undefined

/** Options of {@link adapterSuite}. */
export interface AdapterSuiteOptions {
  /** Path of the README that must name each gap. If absent, no README is checked. */
  readonly readme?: string
  /** Selects cases by id, for a framework that is slow. Defaults to all cases. */
  readonly only?: (id: string) => boolean
  /**
   * Whether another suite runs every case with a harness of the same adapter. If it does, the first harness runs only
   * the cases of entry points, and the others only the cases of the framework. Defaults to `false`.
   */
  readonly isFurtherEntryPoint?: boolean
}

/**
 * Register the suite for each harness, with one test for each case. The test of a gap passes while its case fails.
 *
 * With the newest version of a framework, the first harness runs every case, and each other harness the cases that an
 * entry point can break. With an older version, the first harness runs the cases that the framework can break, and each
 * other harness the cases of its hook. The full verification (`SPILLWAY_FULL=1`) runs all cases with all of them.
 */
export function adapterSuite(
  harnesses: Readonly<Record<string, AdapterHarness>>,
  { readme, only = () => true, isFurtherEntryPoint = false }: AdapterSuiteOptions = {},
): void {
  for (const [index, [name, harness]] of Object.entries(harnesses).entries()) {
    const ranByFirst = isFurtherEntryPoint ? 'cases of entry points' : 'every case'
    const ranBefore = isFurtherEntryPoint ? 'every case' : 'nothing'
    const run = { isFull, isOlderVersion, runsElsewhere: index > 0 ? ranByFirst : ranBefore } as const
    const gaps = Object.keys(harness.gaps ?? {})
    describe(name, () => {
      test('the harness is exported under its name', () => {
        expect(harness.name, 'The key in `harnesses` and the name of the harness must be equal').toBe(name)
      })
      test('the adapter declares gaps only for existing cases', () => {
        const ids = ADAPTER_CASES.map(({ id }) => id)
        expect(gaps.filter((id) => !ids.includes(id))).toEqual([])
      })
      if (readme !== undefined)
        test("the README names the adapter's gaps", async () => {
          const text = await readFile(readme, 'utf8')
          expect(gaps.filter((id) => !text.includes(`\`${id}\``))).toEqual([])
        })
      for (const adapterCase of selectCases(ADAPTER_CASES, harness, run).filter(({ id }) => only(id))) {
        const gap = harness.gaps?.[adapterCase.id]
        const what = gap === undefined ? `: ${adapterCase.title}` : ` [gap: ${gap}]`
        test(`${adapterCase.id}${what}`, { timeout: TIMEOUT_MS }, () => runCase(harness, adapterCase))
      }
    })
  }
}
