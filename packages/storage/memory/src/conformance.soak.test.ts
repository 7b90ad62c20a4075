import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatReport, runConformance } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { expect, test } from 'vitest'
import { memoryHarness } from '../test/memory-harness.ts'

const README = join(import.meta.dirname, '../README.md')

const soak = process.env['SPILLWAY_SOAK'] !== undefined

storageConformance(memoryHarness, { thorough: soak, large: soak })

// `vitest run packages/storage/memory --update` brings the README up to date.
test('the README has the report of the suite', async () => {
  const report = await runConformance(memoryHarness)
  const readme = await readFile(README, 'utf8')
  const parts = /^([^]*<!-- conformance -->\n)[^]*(\n<!-- end of conformance -->[^]*)$/.exec(readme)
  expect(parts).not.toBeNull()
  await expect(`${parts?.[1]}\n${formatReport(report)}${parts?.[2]}`).toMatchFileSnapshot(README)
})
