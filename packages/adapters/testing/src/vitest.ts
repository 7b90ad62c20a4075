import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { ADAPTER_CASES } from './cases/index.ts'
import type { AdapterHarness } from './harness.ts'
import { runCase } from './run-case.ts'

/** For cases that start a process; the others have limits of their own. */
const TIMEOUT_MS = 60_000

/** Options of {@link adapterSuite}. */
export interface AdapterSuiteOptions {
  /** The path of the README that must name each gap. Without it nothing is checked. */
  readonly readme?: string
  /** Which cases to run, by their ids, where a framework takes long for each. All of them by default. */
  readonly only?: (id: string) => boolean
}

/** Register the suite for each harness, one test for each case. A gap is a test that passes as long as its case fails. */
export function adapterSuite(
  harnesses: Readonly<Record<string, AdapterHarness>>,
  { readme, only = () => true }: AdapterSuiteOptions = {},
): void {
  for (const [name, harness] of Object.entries(harnesses)) {
    const gaps = Object.keys(harness.gaps ?? {})
    describe(name, () => {
      test('is exported under its name', () => {
        expect(harness.name, 'The key in `harnesses` and the name of the harness must be equal').toBe(name)
      })
      test('declares gaps only for cases that there are', () => {
        const ids = ADAPTER_CASES.map(({ id }) => id)
        expect(gaps.filter((id) => !ids.includes(id))).toEqual([])
      })
      if (readme !== undefined)
        test('has its gaps in the README', async () => {
          const text = await readFile(readme, 'utf8')
          expect(gaps.filter((id) => !text.includes(`\`${id}\``))).toEqual([])
        })
      for (const adapterCase of ADAPTER_CASES.filter(
        ({ id, needs }) => only(id) && (needs === undefined || harness[needs] === true),
      )) {
        const gap = harness.gaps?.[adapterCase.id]
        const what = gap === undefined ? `: ${adapterCase.title}` : ` [gap: ${gap}]`
        test(`${adapterCase.id}${what}`, { timeout: TIMEOUT_MS }, () => runCase(harness, adapterCase))
      }
    })
  }
}
