import { findRedis, forgetRedis, type FoundProgram } from './find-redis.ts'
import { findS3, forgetCeph } from './find-s3.ts'
import { OWN_SERVER_VARIABLES } from './own-servers.ts'
import { runProgram } from './run-program.ts'
import { SERVICE_NAMES, type ServiceName, type Unavailable } from './service.ts'

const INSTALL_MS = 600_000

/** The Debian packages that a service comes from. */
const PACKAGES: Readonly<Record<ServiceName, readonly string[]>> = {
  redis: ['redis-server', 'redis-tools'],
  'redis-cluster': ['redis-server', 'redis-tools'],
  s3: ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-mgr', 'ceph-common'],
}

/** What a service comes from, or why there is none. */
export type Provision = Unavailable | FoundProgram | { readonly available: true; readonly from: 'environment' }

/**
 * Say of each service what it will come from: a server that the environment names; what is installed; Debian packages,
 * which are installed if they may be; Docker. `SPILLWAY_INSTALL_SERVICES=1` allows to install by `sudo` without a
 * password, `0` forbids to install at all; without it root installs.
 */
export async function provision(
  names: readonly ServiceName[] = SERVICE_NAMES,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Readonly<Record<string, Provision>>> {
  const wanted = names.filter((name) => environment[OWN_SERVER_VARIABLES[name][0]] === undefined)
  const missing: ServiceName[] = []
  for (const name of wanted) if (!isInstalled(await find(name))) missing.push(name)
  let problem: string | undefined
  if (missing.length > 0) {
    problem = await install([...new Set(missing.flatMap((name) => PACKAGES[name]))], environment)
    forgetRedis()
    forgetCeph()
  }
  const entries = names.map(async (name): Promise<[ServiceName, Provision]> => {
    if (!wanted.includes(name)) return [name, { available: true, from: 'environment' }]
    const found = await find(name)
    if (found.available || problem === undefined) return [name, found]
    return [name, { available: false, why: `${found.why} ${problem} (${PACKAGES[name].join(' ')})` }]
  })
  return Object.fromEntries(await Promise.all(entries))
}

function isInstalled(found: FoundProgram | Unavailable): boolean {
  return found.available && found.from === 'installed'
}

async function find(name: ServiceName): Promise<FoundProgram | Unavailable> {
  return name === 's3' ? await findS3() : await findRedis()
}

/** Install Debian packages if that is allowed; return why that was not done. */
async function install(packages: readonly string[], environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const prefix = await installer(environment)
  if (typeof prefix === 'string') return prefix
  const run = async (...args: string[]): Promise<string | undefined> => {
    const [command = '', ...words] = [...prefix, 'apt-get', ...args]
    const { exitCode, output } = await runProgram(command, words, {
      timeoutMs: INSTALL_MS,
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    })
    return exitCode === 0 ? undefined : `apt-get ${args[0]} failed with ${output.trim().slice(-500)}`
  }
  // Updating fails also for a source that nothing is needed from: what counts is whether installing works.
  await run('update')
  return await run('install', '--yes', '--no-install-recommends', ...packages)
}

/** Return what to put before `apt-get`, or why nothing may be installed. */
async function installer(environment: NodeJS.ProcessEnv): Promise<readonly string[] | string> {
  const allowed = environment['SPILLWAY_INSTALL_SERVICES']
  if (allowed === '0') return 'SPILLWAY_INSTALL_SERVICES=0 forbids to install Debian packages.'
  if ((await runProgram('apt-get', ['--version'])).exitCode !== 0)
    return 'There is no apt-get to install Debian packages with.'
  if (process.getuid?.() === 0) return []
  if (allowed !== '1') return 'SPILLWAY_INSTALL_SERVICES=1 would allow to install Debian packages by sudo.'
  const sudo = ['sudo', '--non-interactive']
  const { exitCode } = await runProgram('sudo', ['--non-interactive', 'true'])
  return exitCode === 0 ? sudo : 'sudo needs a password to install Debian packages.'
}
