import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dependentTests } from './dependent-tests.ts'
import { runProgram } from './run-program.ts'

// A real installation would change the machine. These `apt-get` and `sudo` record their arguments, and create a server.
const APT = `#!/bin/sh
echo "$@" >> FOLDER/calls
[ "$1" = install ] || exit 0
printf '#!/bin/sh\\necho Redis server v=7.4.1\\n' > FOLDER/redis-server
/bin/chmod +x FOLDER/redis-server
`
const SUDO = '#!/bin/sh\nshift\n[ "$1" = true ] && exit 0\nexec "$@"\n'
const PRINT = `import { provision } from ${JSON.stringify(join(import.meta.dirname, 'provision.ts'))}
process.getuid = () => (process.argv[1] === 'root' ? 0 : 1000)
console.log(JSON.stringify(await provision(['redis'])))`

/** Provision Redis on a machine that has only `apt-get` and `sudo`. */
async function provisionRedis(
  user: 'root' | 'user',
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly found: unknown; readonly calls: string; readonly output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-provision-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, script] of Object.entries({ 'apt-get': APT, sudo: SUDO })) {
    await writeFile(join(folder, name), script.replaceAll('FOLDER', folder))
    await chmod(join(folder, name), 0o755)
  }
  await writeFile(join(folder, 'calls'), '')
  const variables = { PATH: folder, SPILLWAY_INSTALL_SERVICES: '', ...env }
  const { output } = await runProgram(process.execPath, ['--input-type=module', '--eval', PRINT, user], {
    env: variables,
  })
  const calls = await readFile(join(folder, 'calls'), 'utf8')
  const found = (JSON.parse(output.split('\n').findLast((line) => line.startsWith('{')) ?? '{}') as { redis: unknown })
    .redis
  return { found, calls: calls.replaceAll('--version\n', ''), output }
}

const INSTALLED = { available: true, version: '7.4.1', from: 'installed' }
const CALLS = 'update\ninstall --yes --no-install-recommends redis-server redis-tools\n'

describe.skipIf(process.platform === 'win32')('a missing service', () => {
  test.each([
    ['root', {}],
    ['user', { SPILLWAY_INSTALL_SERVICES: '1' }],
  ] as const)('is installed by %s, with %j', async (user, env) => {
    const { found, calls, output } = await provisionRedis(user, env)
    expect([found, calls]).toEqual([INSTALLED, CALLS])
    expect(output).toMatch(/^Installing Debian packages for tests: redis-server redis-tools /m)
  })

  test.each([
    ['root', { SPILLWAY_INSTALL_SERVICES: '0' }, 'SPILLWAY_INSTALL_SERVICES=0'],
    ['user', {}, 'SPILLWAY_INSTALL_SERVICES=1'],
  ] as const)('is not installed by %s, with %j', async (user, env, reason) => {
    const { found, calls } = await provisionRedis(user, env)
    expect(found).toMatchObject({ available: false, why: expect.stringContaining(reason) as string })
    expect(found).toMatchObject({ why: expect.stringContaining('redis-server is not installed') as string })
    expect(calls).toBe('')
  })

  test('is not needed if the environment names a server', async () => {
    const { found, calls } = await provisionRedis('root', { SPILLWAY_TEST_REDIS_URL: 'redis://h:1' })
    expect([found, calls]).toEqual([{ available: true, from: 'environment' }, ''])
  })
})

test('tests that need a service are found by their request for the service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-dependent-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'packages/x/test'), { recursive: true })
  await writeFile(join(folder, 'packages/x/test/a.test.ts'), 'const redis = await sharedRedis()')
  await writeFile(join(folder, 'packages/x/test/b.test.ts'), 'const cluster = await sharedRedisCluster()')
  expect(dependentTests('redis', folder)).toEqual(['packages/x/test/a.test.ts'])
  expect(dependentTests('redis-cluster', folder)).toEqual(['packages/x/test/b.test.ts'])
  expect(dependentTests('s3', folder)).toEqual([])
})
