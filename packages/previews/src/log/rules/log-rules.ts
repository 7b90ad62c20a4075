import { BUILD_RULES } from './build-tools.ts'
import { CI_RULES } from './ci-systems.ts'
import { COMPILER_RULES } from './compilers.ts'
import { INFRASTRUCTURE_RULES } from './infrastructure.ts'
import type { LineRule } from './line-rule.ts'
import { LINTER_RULES } from './linters.ts'
import { PACKAGE_RULES } from './package-managers.ts'
import { RUNTIME_RULES } from './runtimes.ts'
import { SERVER_RULES } from './servers.ts'
import { TEST_RULES } from './test-runners.ts'

/** What tools print, the most telling first: of the rules that apply to a line, the first tells what it says. */
export const LOG_RULES: readonly LineRule[] = [
  ...CI_RULES,
  ...TEST_RULES,
  ...COMPILER_RULES,
  ...LINTER_RULES,
  ...PACKAGE_RULES,
  ...BUILD_RULES,
  ...RUNTIME_RULES,
  ...INFRASTRUCTURE_RULES,
  ...SERVER_RULES,
].toSorted((one, other) => other.weight - one.weight)
