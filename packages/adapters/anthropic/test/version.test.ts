import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { expect, it } from 'vitest'
import { hasThreads } from './version.ts'

/** Return the version of the loaded SDK, whose code calls this fetch and is in the stack. */
async function loadedVersion(): Promise<string | undefined> {
  let stack: string | undefined
  const fetch = async (): Promise<Response> => {
    stack = new Error('for its stack').stack
    return Response.json({})
  }
  await new Anthropic({ apiKey: 'none', fetch }).models.list()
  return /\/\.pnpm\/@anthropic-ai\+sdk@([^_/]+)/.exec(stack ?? '')?.[1]
}

it("the tests run with the version in the peer set's name", async () => {
  const folder = process.env['SPILLWAY_TEST_PEERS'] ?? join(import.meta.dirname, '..')
  const manifest = readFileSync(join(folder, 'node_modules/@anthropic-ai/sdk/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  expect(await loadedVersion()).toBe(version)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  expect(hasThreads).toBe(major > 1 || (major === 1 && minor >= 2))
})
