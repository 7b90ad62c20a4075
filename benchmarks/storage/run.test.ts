import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const SECONDS = 180

test(
  'the benchmark measures every part, and leaves no files',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'spillway-bench-test-'))
    const argv = [join(import.meta.dirname, 'run.ts'), '--quick', '--only', 'sqlite']
    const { stdout } = await promisify(execFile)(process.execPath, argv, {
      env: { ...process.env, SPILLWAY_BENCH_DATA: data },
      timeout: SECONDS * 1_000,
    })
    expect(stdout).not.toContain('Not measured')
    const figures = JSON.parse(await readFile(join(data, 'results/storage.json'), 'utf8')) as Record<string, unknown>
    expect(figures).toMatchObject({
      throughput: expect.arrayContaining([
        expect.objectContaining({ kind: 'SQLite', size: '10 MB', name: 'Spillway' }),
      ]),
      growth: [{ kind: 'SQLite' }],
      large: [{ kind: 'SQLite' }],
      requests: { SQLite: expect.anything() },
    })
    expect(await readdir(data)).toEqual(['results'])
    await rm(data, { recursive: true })
  },
  2 * SECONDS * 1_000,
)
