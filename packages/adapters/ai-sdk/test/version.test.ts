import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrapLanguageModel } from 'ai'
import { expect, it } from 'vitest'
import { fakeModel } from './fake-model.ts'
import { isVersion7 } from './version.ts'

/** Return the version of the loaded SDK, whose code calls this middleware and is in the stack. */
function loadedVersion(): string | undefined {
  let stack: string | undefined
  const overrideModelId = (): string => {
    stack = new Error('for its stack').stack
    return 'id'
  }
  const model = fakeModel(() => ({ text: 'done' }))
  wrapLanguageModel({ model, middleware: { specificationVersion: 'v3', overrideModelId } })
  return /\/\.pnpm\/ai@([^_/]+)/.exec(stack ?? '')?.[1]
}

it("the tests run with the version in the peer set's name", () => {
  const folder = process.env['SPILLWAY_TEST_PEERS'] ?? join(import.meta.dirname, '..')
  const manifest = readFileSync(join(folder, 'node_modules/ai/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  expect(loadedVersion()).toBe(version)
  expect(isVersion7).toBe(version.startsWith('7.'))
})
