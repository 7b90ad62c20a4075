import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Milliseconds that a quick run may take. */
export const QUICK_RUN_MS = 120_000

/** What a quick run left. */
export interface QuickRun {
  readonly stdout: string
  readonly figures: Readonly<Record<string, unknown>>
  /** Names in the folder of its data. */
  readonly left: readonly string[]
}

/** Run the benchmark of a folder quickly, with data of its own, for its test. */
export async function runQuickly(folder: string, title: string): Promise<QuickRun> {
  const data = await mkdtemp(join(tmpdir(), 'spillway-bench-test-'))
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'run.ts'), '--quick'], {
    env: { ...process.env, SPILLWAY_BENCH_DATA: data },
    timeout: QUICK_RUN_MS,
  })
  const json = await readFile(join(data, 'results', `${title.toLowerCase()}.json`), 'utf8')
  const left = await readdir(data)
  await rm(data, { recursive: true })
  return { stdout, figures: JSON.parse(json) as QuickRun['figures'], left }
}
