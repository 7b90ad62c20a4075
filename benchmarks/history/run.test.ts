import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isFull } from '@spillway-internal/test-run'
import { expect, test } from 'vitest'
import { makeDataFolder } from './test/data-folder.ts'

const run = (...options: string[]) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, 'run.ts'), ...options], { timeout: 60_000 })

test('the benchmark measures every system on a folder of transcripts, and saves its figures [full run]', async ({
  skip,
}) => {
  skip(!isFull, 'full run')
  const data = await makeDataFolder()
  const out = await mkdtemp(join(tmpdir(), 'spillway-bench-history-'))
  const { stdout } = await run('--quick', '--data', data, '--out', out)
  expect(stdout).not.toContain('Not measured')
  const read = async (part: string): Promise<unknown> =>
    JSON.parse(await readFile(join(out, 'results', `${part}.json`), 'utf8'))
  expect(await read('end')).toMatchObject({
    bounds: [{ value: 0 }, { value: 0 }, { value: 0 }],
    figures: [{ lines: 1, figures: { none: { fits: false }, Spillway: { fits: true, isRestored: true } } }],
  })
  expect(await read('lived')).toMatchObject({
    bounds: [{ value: 0 }, { value: 0 }],
    figures: [{ lines: 1, figures: { none: { breaks: 0, lines: { visible: 1 } }, Spillway: { isRestored: true } } }],
  })
  expect(await read('cost')).toMatchObject({ bounds: [{ unit: 'ms' }] })
  await Promise.all([data, out].map((folder) => rm(folder, { recursive: true })))
})

test('the benchmark ends with a message if there is no data [full run]', async ({ skip }) => {
  skip(!isFull, 'full run')
  const folder = await mkdtemp(join(tmpdir(), 'spillway-bench-history-'))
  expect((await run('--data', folder)).stdout).toContain(`skipped: no data in ${folder}`)
  await rm(folder, { recursive: true })
})
