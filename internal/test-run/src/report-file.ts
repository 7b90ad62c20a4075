import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** The result of a test run: counts, and all tests that did not pass. */
export interface TestReport {
  readonly passed: number
  readonly failed: readonly string[]
  /** Test files that registered no test. */
  readonly empty: readonly string[]
  /** Skipped tests by file and reason. */
  readonly skipped: readonly { readonly file: string; readonly reason: string; readonly count: number }[]
  /** Milliseconds of each test file, for imports, hooks, and tests. */
  readonly milliseconds: Readonly<Record<string, number>>
}

/** A vitest reporter that writes a {@link TestReport} to a file. The file is missing if the run was aborted. */
export class ReportFile implements Reporter {
  readonly #path: string
  #root = ''

  constructor(path: string) {
    this.#path = path
  }

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root
    rmSync(this.#path, { force: true })
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { readonly message: string }[]): void {
    const failed: string[] = unhandledErrors.map(({ message }) => `unhandled: ${message}`)
    const empty: string[] = []
    const skipped = new Map<string, { file: string; reason: string; count: number }>()
    const milliseconds: Record<string, number> = {}
    let passed = 0
    for (const module of modules) {
      const file = this.#nameOf(module)
      const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
        module.diagnostic()
      const total = collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration
      milliseconds[file] = Math.round(total)
      for (const { message } of module.errors()) failed.push(`${file}: ${message}`)
      const tests = [...module.children.allTests()]
      if (tests.length === 0 && module.errors().length === 0) empty.push(file)
      for (const test of tests) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state === 'failed') failed.push(`${file}: ${test.fullName}`)
        else {
          const reason = reasonOf(test)
          const group = skipped.get(`${file} ${reason}`) ?? { file, reason, count: 0 }
          skipped.set(`${file} ${reason}`, { ...group, count: group.count + 1 })
        }
      }
    }
    const report: TestReport = { passed, failed, empty, skipped: [...skipped.values()], milliseconds }
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, JSON.stringify(report))
  }

  /** Return the path of a test file, with its project if several projects run the file. */
  #nameOf({ moduleId, project }: TestModule): string {
    const file = moduleId.slice(this.#root.length + 1)
    return project.name.includes(' with ') ? `${file} (${project.name.split(' with ')[1]})` : file
  }
}

/** Return the note of `skip`, the text in brackets at the end of the name, or the suite that is skipped as a whole. */
function reasonOf(test: TestCase): string {
  const result = test.result()
  if (result.state === 'skipped' && result.note !== undefined) return result.note
  const inName = /\[([^[]*)\]$/.exec(test.name)?.[1]
  const { parent } = test
  return inName ?? (parent.type === 'suite' ? parent.fullName : test.fullName)
}
