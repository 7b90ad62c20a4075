import { expect, test } from 'vitest'
import { QUICK_RUN_MS, runQuickly } from '../report/run-quickly.ts'

test(
  'the benchmark measures every part without a failed request, and leaves no files',
  async () => {
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
