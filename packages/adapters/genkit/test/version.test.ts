import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GENKIT_VERSION } from 'genkit'
import { expect, it } from 'vitest'
import { hasAgents } from './version.ts'

it('the tests run with the Genkit version of their peer set', () => {
  const folder = process.env['SPILLWAY_TEST_PEERS'] ?? join(import.meta.dirname, '..')
  const manifest = readFileSync(join(folder, 'node_modules/genkit/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  expect(GENKIT_VERSION).toBe(version)
  expect(major).toBe(1)
  expect(hasAgents).toBe(minor >= 39)
})
