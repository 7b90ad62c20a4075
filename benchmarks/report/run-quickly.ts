import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Time limit of a quick run in milliseconds, for a busy machine. Otherwise, a quick run takes about ten seconds. */
export const QUICK_RUN_MS = 400_000

/** The result of a quick run. */
export interface QuickRun {
  readonly stdout: string
  readonly figures: Readonly<Record<string, unknown>>
  /** Names of the files left in its data folder. */
  readonly left: readonly string[]
}

/** Run some parts of a benchmark quickly, with a separate data folder, for a test. */
export async function runQuickly(
  folder: string,
  parts: readonly string[],
  options: readonly string[] = [],
): Promise<QuickRun> {
  const data = await mkdtemp(join(tmpdir(), 'spillway-bench-test-'))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(folder, 'run.ts'), ...parts, '--quick', ...options],
    {
      env: { ...process.env, SPILLWAY_BENCH_DATA: data },
      timeout: QUICK_RUN_MS,
    },
  )
  const files = parts.map(
    async (part) => [part, await readFile(join(data, 'results', `${part}.json`), 'utf8')] as const,
  )
  const figures = Object.fromEntries(
    (await Promise.all(files)).map(([part, json]) => [part, (JSON.parse(json) as { figures: unknown }).figures]),
  )
  const left = await readdir(data)
  await rm(data, { recursive: true })
  return { stdout, figures, left }
}
