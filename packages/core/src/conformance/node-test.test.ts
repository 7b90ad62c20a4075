import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SCRIPT = join(import.meta.dirname, '../../test/scripts/node-test-conformance.ts')

function run(...parameters: string[]): { status: number | null; output: string } {
  // If this test runs below `node --test`, the variable of that runner would change the output of the script.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const command = ['--test-reporter=spec', SCRIPT, ...parameters]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', env })
  return { status, output: stdout + stderr }
}

test('node:test runs the cases, shows known gaps, and skips unproven cases with a reason', () => {
  const { status, output } = run()
  expect(output).toContain('✔ content-type/exact')
  expect(output).toContain('✔ stat/describes [known gap: this storage describes nothing]')
  expect(output).toContain('﹣ kill/acknowledged-survive [not proven: the harness has no power "kill"]')
  expect(status).toBe(0)
})

test('node:test fails if a known gap has closed', () => {
  const { status, output } = run('--closed')
  expect(output).toContain('content-type/exact')
  expect(output).toContain('remove "content-type/exact" from knownGaps')
  expect(status).toBe(1)
})
