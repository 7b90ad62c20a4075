import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTool } from '@mastra/core/tools'
import { expect, it } from 'vitest'

/** Return the version of the loaded Mastra, whose code reads this option and is in the stack. */
function loadedVersion(): string | undefined {
  let stack: string | undefined
  createTool({
    description: 'Look.',
    get id() {
      stack = new Error('for its stack').stack
      return 'look'
    },
  })
  return /\/\.pnpm\/@mastra\+core@([^_/]+)/.exec(stack ?? '')?.[1]
}

it("the tests run with the version in the peer set's name", () => {
  const folder = process.env['SPILLWAY_TEST_PEERS'] ?? join(import.meta.dirname, '..')
  const manifest = readFileSync(join(folder, 'node_modules/@mastra/core/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  expect(loadedVersion()).toBe(version)
})
