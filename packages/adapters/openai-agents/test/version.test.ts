import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from '@openai/agents'
import { expect, it } from 'vitest'
import { isOldest } from './version.ts'

/** Return the version of the loaded SDK, whose code reads this name and is in the stack. */
function loadedVersion(): string | undefined {
  let stack: string | undefined
  const config = {
    get name() {
      stack ??= new Error('for its stack').stack
      return 'Agent'
    },
  }
  expect(new Agent(config).name).toBe('Agent')
  return /\/\.pnpm\/@openai\+agents-core@([^_/]+)/.exec(stack ?? '')?.[1]
}

it("the tests run with the version in the peer set's name", () => {
  const folder = process.env['SPILLWAY_TEST_PEERS'] ?? join(import.meta.dirname, '..')
  const manifest = readFileSync(join(folder, 'node_modules/@openai/agents/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  expect(loadedVersion()).toBe(version)
  expect(isOldest).toBe(version === '0.3.8')
})
