import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatReport, runConformance } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { expect, test } from 'vitest'
import { sqliteHarness } from './sqlite-harness.ts'

const README = join(import.meta.dirname, '../README.md')

const soak = process.env['SPILLWAY_SOAK'] !== undefined

storageConformance(sqliteHarness, { thorough: soak, large: true })

// `vitest run packages/storage/sqlite --update` brings the README up to date.
test('the README has the report of the suite', { timeout: 300_000 }, async () => {
  const report = await runConformance(sqliteHarness)
  const readme = await readFile(README, 'utf8')
  const parts = /^([^]*<!-- conformance -->\n)[^]*(\n<!-- end of conformance -->[^]*)$/.exec(readme)
  expect(parts).not.toBeNull()
  await expect(`${parts?.[1]}\n${formatReport(report)}${parts?.[2]}`).toMatchFileSnapshot(README)
})
