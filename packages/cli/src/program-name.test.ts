import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { spillway, temporaryFolder } from '../test/spillway.ts'

const EXECUTABLE = { mode: 0o755 }

/** The environment of a program that npx starts, with `spillway` in a folder of the path. */
function environmentOfNpx(cwd: string, folder: string): Record<string, string> {
  const path = join(cwd, folder)
  mkdirSync(path, { recursive: true })
  for (const name of ['npx', 'spillway']) writeFileSync(join(path, name), '', EXECUTABLE)
  return { npm_command: 'exec', PATH: `${path}:/usr/bin:/bin` }
}

it('names npx in commands for the shell, if only npx finds the program', async () => {
  const cwd = temporaryFolder()
  const env = environmentOfNpx(cwd, 'node_modules/.bin')
  const run = await spillway(['run', '--', 'seq', '20000'], { cwd, env })
  expect(run.stdout).toMatch(/^ {2}npx @spillway\/cli get seq_\w+ --pattern REGEX/m)
  const grep = await spillway(['grep', '1', '--max-tokens', '300'], { cwd, env })
  expect(grep.stdout).toMatch(/\[.*: npx @spillway\/cli get REFERENCE --pattern 1\]/)
  const installed = await spillway(['hook', 'claude-code', 'install', '--allow'], { cwd, env })
  expect(installed.stdout).toContain(`"npx @spillway/cli hook claude-code --command 'npx @spillway/cli'"`)
  expect(installed.stdout).toContain('"Bash(npx @spillway/cli get:*)"')
})

it('names the program itself, if it is installed globally too', async () => {
  const cwd = temporaryFolder()
  const run = await spillway(['run', '--', 'seq', '20000'], { cwd, env: environmentOfNpx(cwd, 'bin') })
  expect(run.stdout).toMatch(/^ {2}spillway get seq_\w+ --pattern REGEX/m)
})
