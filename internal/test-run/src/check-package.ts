import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { COMPILE_CACHE } from './test-run.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Test files of `internal/` that check one package of the workspace. */
export interface PackageCheck {
  /** The folder that holds the test files, such as `internal/docs`. */
  readonly project: string
  /** Names of test files, without `.test.ts`. */
  readonly tests: readonly string[]
  /** Environment variables that name the package to the tests. */
  readonly env: Readonly<Record<string, string>>
  /** The path of the report. */
  readonly report: string
}

/** Run the tests of a check in this process and one worker. Prints what vitest prints, and exits with its exit code. */
export async function checkPackage({ project, tests, env, report }: PackageCheck): Promise<void> {
  Object.assign(process.env, env, { SPILLWAY_REPORT: report })
  // Vitest, too, starts sooner if it was compiled before.
  enableCompileCache(COMPILE_CACHE)
  // There, vitest sets up this one project instead of all.
  process.chdir(join(ROOT, project))
  const { startVitest } = await import('vitest/node')
  const files = tests.map((name) => `${project}/${name}.test.ts`)
  // A check is short: one more worker would load the same modules again, while other checks run beside this one.
  const options = { run: true, config: '../../vitest.config.ts', maxWorkers: 1 }
  const vitest = await startVitest('test', files, options)
  await vitest.exit()
}
