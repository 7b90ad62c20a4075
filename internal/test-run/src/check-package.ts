import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

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

/** Run the tests of a check, print what vitest prints, and exit with its exit code. */
export function checkPackage({ project, tests, env, report }: PackageCheck): never {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const files = tests.map((name) => `${project}/${name}.test.ts`)
  const { status, error } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', '../../vitest.config.ts', ...files],
    {
      // There, vitest sets up this one project instead of all.
      cwd: join(ROOT, project),
      stdio: 'inherit',
      env: { ...process.env, ...env, SPILLWAY_REPORT: report },
    },
  )
  if (error !== undefined) throw error
  process.exit(status ?? 1)
}
