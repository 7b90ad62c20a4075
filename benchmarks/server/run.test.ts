import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const SECONDS = 120

test(
  'the benchmark measures every part without a failed request, and leaves nothing behind',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'spillway-bench-test-'))
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'run.ts'), '--quick'], {
      env: { ...process.env, SPILLWAY_BENCH_DATA: data },
      timeout: SECONDS * 1_000,
    })
    expect(stdout).not.toContain('Not measured')
    const figures = JSON.parse(await readFile(join(data, 'results/server.json'), 'utf8')) as Record<string, unknown>
    expect(figures).toMatchObject({
      load: {
        services: Array.from({ length: 2 }, () => ({ failed: {}, refusedWithoutWait: 0 })),
        echo: { failed: {} },
      },
      limits: { failed: {}, refusedWithoutWait: 0 },
    })
    const { load } = figures as { load: { services: { answered: number }[]; echo: { answered: number } } }
    for (const { answered } of [...load.services, load.echo]) expect(answered).toBeGreaterThan(10)
    expect(await readdir(data)).toEqual(['results'])
    await rm(data, { recursive: true })
  },
  2 * SECONDS * 1_000,
)
