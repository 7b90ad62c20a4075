import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { COMPILE_CACHE } from './test-run.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Test files of `internal/` that check one package of the workspace. */
export interface PackageCheck {
  /** Folder of the test files, for example `internal/packages`. */
  readonly project: string
  /** Names of test files, without `.test.ts`. */
  readonly tests: readonly string[]
  /** Environment variables that name the package to the tests. */
  readonly env: Readonly<Record<string, string>>
  /** Path of the report. */
  readonly report: string
}

/** Run the tests of a check in this process and one worker. Prints vitest's output, and exits with its exit code. */
export async function checkPackage({ project, tests, env, report }: PackageCheck): Promise<void> {
  Object.assign(process.env, env, { SPILLWAY_REPORT: report })
  // Vitest starts faster with compiled code.
  enableCompileCache(COMPILE_CACHE)
  // In this folder, vitest sets up only this project.
  process.chdir(join(ROOT, project))
  const { startVitest } = await import('vitest/node')
  const files = tests.map((name) => `${project}/${name}.test.ts`)
  // A check is short: another worker would load the same modules again, while other checks run in parallel.
  const options = { run: true, config: '../../vitest.config.ts', maxWorkers: 1 }
  const vitest = await startVitest('test', files, options)
  await vitest.exit()
}
