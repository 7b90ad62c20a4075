import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const SECONDS = 120

test(
  'the benchmark measures every part, and leaves nothing behind',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'spillway-bench-test-'))
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'run.ts'), '--quick'], {
      env: { ...process.env, SPILLWAY_BENCH_DATA: data },
      timeout: SECONDS * 1_000,
    })
    expect(stdout).not.toContain('Not measured')
    const figures = JSON.parse(await readFile(join(data, 'results/mcp.json'), 'utf8')) as Record<string, unknown>
    expect(figures).toMatchObject({
      overhead: [{ name: '20 characters' }, { name: '2,000 characters' }],
      large: [{ megabytes: 1 }, { megabytes: 9 }],
    })
    expect(await readdir(data)).toEqual(['results'])
    await rm(data, { recursive: true })
  },
  2 * SECONDS * 1_000,
)
