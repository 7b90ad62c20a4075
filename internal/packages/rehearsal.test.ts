/**
 * Publishes all packages to a registry on loopback with the command that publishes them to npm, and follows the printed
 * instructions with them in empty folders, on each supported version of Node.js.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestReport } from '../test-run/src/report-file.ts'
import { startLocalRegistry, type LocalRegistry } from './local-registry.ts'
import { listPublicPackages, ROOT } from './public-packages.ts'

const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'spillway-rehearsal-'))
let registry: LocalRegistry
let published: string

beforeAll(async () => {
  registry = await startLocalRegistry()
  const changeset = join(ROOT, 'node_modules/@changesets/cli/bin.js')
  const options = { cwd: ROOT, env: { ...process.env, ...registry.env } }
  const { stdout } = await execute(process.execPath, [changeset, 'publish', '--no-git-tag'], options)
  published = stdout
}, 600_000)

afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true })
})

it('the rehearsal publishes every public package', () => {
  for (const { name } of listPublicPackages()) expect(published).toContain(name)
})

describe.each([24, 22])('on Node.js %i', (major) => {
  it('runs the command line as its README prints it', async () => {
    const { stdout } = await run(major, 'npx', ['--yes', '@spillway/cli', 'run', '--', 'node', '--version'], folder)
    expect(stdout).toMatch(new RegExp(`^v${major}\\.`))
  })

  it('follows the READMEs and the guide for backends', async () => {
    const report = join(folder, `${major}.json`)
    const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'internal/packages']
    const tests = ['readme-examples', 'own-backend'].map((name) => `internal/packages/${name}.test.ts`)
    // A failed test also ends the run with an exit code, and its output says more.
    await run(major, 'node', [...vitest, ...tests], ROOT, { SPILLWAY_REPORT: report })
    const { passed, failed, skipped } = JSON.parse(readFileSync(report, 'utf8')) as TestReport
    console.log(`Node.js ${major}: ${passed} passed, ${JSON.stringify(skipped)}`)
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(100)
  }, 3_600_000)
})

/** Run a program with a version of Node.js, where packages come from the local registry. */
async function run(
  major: number,
  command: string,
  args: readonly string[],
  cwd: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<{ readonly stdout: string }> {
  const { NODE_OPTIONS: _, VITEST: __, SPILLWAY_PACKAGES_OF: ___, ...inherited } = process.env
  const node = major === 22 ? registry.node22 : process.execPath
  const env = {
    ...inherited,
    'npm_config_@spillway:registry': registry.url,
    SPILLWAY_REGISTRY: registry.url,
    PATH: [dirname(node), inherited['PATH']].join(delimiter),
    ...variables,
  }
  return await execute(command, args, { cwd, env, maxBuffer: 1e8 })
}
