import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { TestReport } from '../test-run/src/report-file.ts'

/** The results of the checks of one package. */
export class Checks {
  readonly failed: string[] = []
  readonly #skipped: { file: string; reason: string; count: number }[] = []
  #passed = 0

  /** Run a check. It fails if the function returns problems or throws. */
  async run(name: string, findProblems: () => readonly string[] | Promise<readonly string[]>): Promise<void> {
    const problems = await (async () => findProblems())().catch((error: unknown) => [String(error)])
    if (problems.length === 0) this.#passed += 1
    else this.failed.push([name, ...problems].join('\n'))
  }

  skip(file: string, reason: string): void {
    this.#skipped.push({ file, reason, count: 1 })
  }

  /** Print the failures, and write a {@link TestReport}. */
  finish(path: string): void {
    for (const failure of this.failed) console.error(`${failure}\n`)
    console.log(`${this.#passed} passed, ${this.failed.length} failed, ${this.#skipped.length} skipped`)
    const failed = this.failed.map((failure) => failure.split('\n', 1).join())
    const report: TestReport = { passed: this.#passed, failed, empty: [], skipped: this.#skipped, milliseconds: {} }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(report))
    process.exitCode = failed.length === 0 ? 0 : 1
  }
}
