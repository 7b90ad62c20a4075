import { describe, expect, test } from 'vitest'
import type { AdapterCase } from './adapter-case.ts'
import { ADAPTER_CASES } from './cases/index.ts'
import type { AdapterHarness } from './harness.ts'

/** Register the suite for each harness, one test for each case. A gap is a test that passes as long as its case fails. */
export function adapterSuite(harnesses: Readonly<Record<string, AdapterHarness>>): void {
  for (const [name, harness] of Object.entries(harnesses)) {
    describe(name, () => {
      test('is exported under its name', () => {
        expect(harness.name, 'The key in `harnesses` and the name of the harness must be equal').toBe(name)
      })
      test('declares gaps only for cases that there are', () => {
        const ids = ADAPTER_CASES.map(({ id }) => id)
        expect(ids).toEqual(expect.arrayContaining(Object.keys(harness.gaps ?? {})))
      })
      for (const adapterCase of ADAPTER_CASES) registerCase(harness, adapterCase)
    })
  }
}

function registerCase(harness: AdapterHarness, { id, title, run }: AdapterCase): void {
  const gap = harness.gaps?.[id]
  if (gap === undefined) return test(`${id}: ${title}`, () => run(harness))
  return test(`${id} [gap: ${gap}]`, async () => {
    await expect(run(harness), 'The gap has closed: take it out of `gaps` and of the README.').rejects.toBeInstanceOf(
      Error,
    )
  })
}
