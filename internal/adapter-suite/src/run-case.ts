import assert from 'node:assert/strict'
import type { AdapterCase } from './adapter-case.ts'
import type { AdapterHarness } from './harness.ts'

/** Run a case. Rejects if its promise is broken or, for a declared gap, if the promise is kept. */
export async function runCase(harness: AdapterHarness, { id, run }: AdapterCase): Promise<void> {
  const gap = harness.gaps?.[id]
  if (gap === undefined) return run(harness)
  const failure = await run(harness).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  assert.ok(failure !== undefined, `${id} passes: take the gap out of \`gaps\` and of the README (it was: ${gap})`)
}
