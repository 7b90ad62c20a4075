import { isFull } from '@spillway-internal/test-run'
import { expect, test } from 'vitest'
import { QUICK_RUN_MS, runQuickly } from '../report/run-quickly.ts'
import type { ProcessesRow } from './measure-processes.ts'
import type { CallRow } from './run-calls.ts'

test(
  'the benchmark measures every part without a failed request, and leaves no files [full run]',
  async ({ skip }) => {
    skip(!isFull, 'full run')
    const { stdout, figures, left } = await runQuickly(import.meta.dirname, ['load', 'limits'])
    expect(stdout).not.toContain('Not measured')
    expect(figures).toMatchObject({
      load: {
        services: Array.from({ length: 2 }, () => ({ failed: {}, refusedWithoutWait: 0 })),
        echo: { failed: {} },
      },
      limits: { failed: {}, refusedWithoutWait: 0 },
    })
    const { load } = figures as { load: { services: { answered: number }[]; echo: { answered: number } } }
    for (const { answered } of [...load.services, load.echo]) expect(answered).toBeGreaterThan(10)
    expect(left).toEqual(['results'])
  },
  2 * QUICK_RUN_MS,
)

test(
  'single calls get the answers that they should, and processes with one Redis ask as much of it as one alone',
  async () => {
    const { stdout, figures, left } = await runQuickly(import.meta.dirname, ['calls', 'processes'])
    expect(stdout).not.toContain('Not measured')
    const { calls, processes } = figures as { calls: CallRow[]; processes: ProcessesRow[] }
    expect(calls).toHaveLength(16)
    for (const row of [...calls, ...processes]) expect(row).toMatchObject({ failed: 0, lost: 0 })
    for (const { operation, commands } of processes) {
      const sum = Object.values(commands).reduce((total, one) => total + one, 0)
      if (operation === 'offload') expect(sum).toBeCloseTo(2, 1)
      // A process reads each result once, with one command for the score and one for the content.
      else expect(sum, operation).toBeLessThanOrEqual(2)
    }
    expect(left).toEqual(['results'])
  },
  2 * QUICK_RUN_MS,
)
