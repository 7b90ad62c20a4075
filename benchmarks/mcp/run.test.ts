import { isFull } from '@spillway-internal/test-run'
import { expect, test } from 'vitest'
import { QUICK_RUN_MS, runQuickly } from '../report/run-quickly.ts'

test(
  'the benchmark measures every part, and leaves no files [full run]',
  async ({ skip }) => {
    skip(!isFull, 'full run')
    const { stdout, figures, left } = await runQuickly(import.meta.dirname, ['overhead', 'large', 'clients'])
    expect(stdout).not.toContain('Not measured')
    expect(figures).toMatchObject({
      overhead: [{ name: '20 characters' }, { name: '2,000 characters' }],
      large: [{ megabytes: 1 }, { megabytes: 9 }],
    })
    const { clients } = figures as { clients: object[] }
    expect(clients).toHaveLength(10)
    for (const row of clients) expect(row).toMatchObject({ failed: 0, lost: 0 })
    expect(left).toEqual(['results'])
  },
  2 * QUICK_RUN_MS,
)
