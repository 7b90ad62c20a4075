import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { TestReport } from './report-file.ts'

const MODULES = join(import.meta.dirname, '../../../node_modules')
const CONFIG = `
import { ReportFile } from ${JSON.stringify(join(import.meta.dirname, 'report-file.ts'))}
export default { test: { reporters: [new ReportFile('reports/test.json')] } }
`
const TESTS = `
import { describe, expect, it } from 'vitest'
it('passes', () => {})
it('fails', () => expect(1).toBe(2))
it.skip('is not proven [no server]', () => {})
it('skips itself', ({ skip }) => skip('too slow here'))
describe.skip('a suite', () => {
  it('is skipped with it', () => {})
  it('is skipped too', () => {})
})
`

it('a report counts tests, names failed tests, and gives a reason for each skipped test', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-report-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(MODULES, 'vitest'), join(folder, 'node_modules/vitest'), 'junction')
  await writeFile(join(folder, 'vitest.config.ts'), CONFIG)
  await writeFile(join(folder, 'a.test.ts'), TESTS)
  await writeFile(join(folder, 'broken.test.ts'), "throw new Error('cannot be imported')\n")
  const { VITEST: _, VITEST_POOL_ID: __, NODE_OPTIONS: ___, ...env } = process.env
  await new Promise((resolve) => {
    execFile(process.execPath, [join(MODULES, 'vitest/vitest.mjs'), 'run'], { cwd: folder, env }, resolve)
  })
  const report = JSON.parse(await readFile(join(folder, 'reports/test.json'), 'utf8')) as TestReport
  expect(report).toMatchObject({
    passed: 1,
    failed: expect.arrayContaining(['a.test.ts: fails', 'broken.test.ts: cannot be imported']) as unknown,
    empty: [],
    skipped: [
      { file: 'a.test.ts', reason: 'no server', count: 1 },
      { file: 'a.test.ts', reason: 'too slow here', count: 1 },
      { file: 'a.test.ts', reason: 'a suite', count: 2 },
    ],
  })
  expect(report.failed).toHaveLength(2)
  expect(report.milliseconds['a.test.ts']).toBeGreaterThan(0)
})
