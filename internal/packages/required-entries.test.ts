/** CommonJS can require every entry: none waits at its top level. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { listPublicPackages } from './public-packages.ts'
import { unpackPackages } from './published-layout.ts'

const folder = unpackPackages()

afterAll(() => rmSync(folder, { recursive: true }))

const packages = listPublicPackages().map(({ name, manifest }) => {
  const entries = Object.keys((manifest['exports'] ?? {}) as object)
  // A binding of vitest can be loaded by a running test only.
  const loaded = entries.filter((entry) => !/\/(?:package\.json|vitest)$/.test(entry))
  return { name, entries: loaded.map((entry) => name + entry.slice(1)) }
})

it.each(packages.filter(({ entries }) => entries.length > 0))('$name can be required', ({ name, entries }) => {
  const script = `for (const entry of ${JSON.stringify(entries)}) console.log(Object.keys(require(entry)).length)`
  const { NODE_OPTIONS: _, ...env } = process.env
  const options = { cwd: join(folder, 'node_modules', name), encoding: 'utf8', env, stdio: 'pipe' } as const
  const counts = execFileSync(process.execPath, ['--input-type=commonjs', '-e', script], options)
  expect(counts.trim().split('\n')).toHaveLength(entries.length)
})
