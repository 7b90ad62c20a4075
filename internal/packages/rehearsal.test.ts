/**
 * Publishes all packages to a registry on the loopback interface with the command that publishes them to npm. Then
 * follows the printed instructions in empty folders, on each supported version of Node.js.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestReport } from '../test-run/src/report-file.ts'
import { startLocalRegistry, type LocalRegistry } from './local-registry.ts'
import { listPublicPackages, OLDEST_NODE, ROOT } from './public-packages.ts'

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
})

afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true })
})

it('the rehearsal publishes every public package', () => {
  for (const { name } of listPublicPackages()) expect(published).toContain(name)
})

it('packages work on the oldest Node.js that their engines name', async () => {
  writeFileSync(join(folder, 'oldest.mjs'), USE_OF_BACKENDS)
  const packages = ['core', 'memory', 'file', 'sqlite', 'redis', 'postgres'].map((name) => `@spillway/${name}`)
  await run(OLDEST_NODE, 'npm', ['install', ...packages, 'better-sqlite3', 'ioredis', 'pg'], folder)
  const { stdout } = await run(OLDEST_NODE, 'node', ['oldest.mjs'], folder)
  expect(stdout).toBe('offloaded\n'.repeat(4))
})

const USE_OF_BACKENDS = `
  import { ContextOffloader } from '@spillway/core'
  import { compressed } from '@spillway/core/wrappers'
  import { FileStorage } from '@spillway/file'
  import { InMemoryStorage } from '@spillway/memory'
  import { PostgresStorage } from '@spillway/postgres'
  import { RedisStorage } from '@spillway/redis'
  import { SqliteStorage } from '@spillway/sqlite'

  const text = 'a line of a log\\n'.repeat(5_000)
  const storages = [new InMemoryStorage(), new FileStorage('./files'), new SqliteStorage('./a.db')]
  for (const storage of [...storages, compressed(new InMemoryStorage())]) {
    const offloader = new ContextOffloader({ storage })
    const content = [{ type: 'text', text }]
    console.log((await offloader.offload({ toolName: 'read', toolCallId: 'call_1', content })).status)
  }
  await new RedisStorage('redis://127.0.0.1:1').close()
  await new PostgresStorage('postgres://127.0.0.1:1/app').close()
`

describe.each(['24', '22', OLDEST_NODE])('on Node.js %s', (version) => {
  it('runs the command line as described in its README', async () => {
    const { stdout } = await run(version, 'npx', ['--yes', '@spillway/cli', 'run', '--', 'node', '--version'], folder)
    expect(stdout).toMatch(new RegExp(`^v${version}\\.`))
  })
})

describe.each(['24', '22'])('on Node.js %s', (version) => {
  it('follows the READMEs and the guide for backends', async () => {
    const report = join(folder, `${version}.json`)
    const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'internal/packages']
    const tests = ['readme-examples', 'own-backend'].map((name) => `internal/packages/${name}.test.ts`)
    // A failed test also causes an exit code, but the output has more details.
    await run(version, 'node', [...vitest, ...tests], ROOT, { SPILLWAY_REPORT: report })
    const { passed, failed, skipped } = JSON.parse(readFileSync(report, 'utf8')) as TestReport
    console.log(`Node.js ${version}: ${passed} passed, ${JSON.stringify(skipped)}`)
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(100)
  }, 3_600_000)
})

/** Run a program with a version of Node.js, with packages from the local registry. */
async function run(
  version: string,
  command: string,
  args: readonly string[],
  cwd: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<{ readonly stdout: string }> {
  const { NODE_OPTIONS: _, VITEST: __, SPILLWAY_PACKAGES_OF: ___, ...inherited } = process.env
  const node = { '22': registry.node22, [OLDEST_NODE]: registry.oldestNode }[version] ?? process.execPath
  const env = {
    ...inherited,
    'npm_config_@spillway:registry': registry.url,
    SPILLWAY_REGISTRY: registry.url,
    PATH: [dirname(node), inherited['PATH']].join(delimiter),
    ...variables,
  }
  return await execute(command, args, { cwd, env, maxBuffer: 1e8 })
}
