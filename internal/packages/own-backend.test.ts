/** Follows `docs/testing-your-own-backend.md` in an empty folder, with the packages as they will be published. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { extractFences } from '../docs/extract-fences.ts'
import { ROOT } from './public-packages.ts'
import { startTarballRegistry, type TarballRegistry } from './tarball-registry.ts'

const SECTION = /^## From an empty folder\n([^]*?)^## /m

let registry: TarballRegistry

beforeAll(async () => {
  registry = await startTarballRegistry()
})

afterAll(() => registry.close())

it('the guide leads from an empty folder to a backend that passes the conformance suite', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-own-backend-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const global = join(folder, '.global')
  const env = {
    ...process.env,
    // Only bash preserves a variable with such a name.
    'npm_config_@spillway:registry': registry.url,
    npm_config_prefix: global,
    PATH: [join(global, 'bin'), process.env['PATH']].join(delimiter),
  }
  const [, section = ''] = SECTION.exec(readFileSync(join(ROOT, 'docs/testing-your-own-backend.md'), 'utf8')) ?? []
  let printed = ''
  for (const { language, file, code } of extractFences(section)) {
    if (file !== undefined) writeFileSync(join(folder, file), code)
    else if (language === 'sh')
      printed = execFileSync('bash', ['--norc', '-euc', code], { cwd: folder, env, encoding: 'utf8' })
  }
  expect(printed).toMatch(/^`my-storage`, level `full`: \d{3} passed, \d+ not proven, \d+ not applicable\.$/m)
})
