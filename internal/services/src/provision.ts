import { forgetRedis, type FoundProgram } from './find-redis.ts'
import { forgetCeph } from './find-s3.ts'
import { OWN_SERVER_VARIABLES } from './own-servers.ts'
import { runProgram } from './run-program.ts'
import { findService } from './service-starter.ts'
import { SERVICE_NAMES, unavailable, type ServiceName, type Unavailable } from './service.ts'

const INSTALL_MS = 600_000

/** Debian packages by service. */
const PACKAGES: Readonly<Record<ServiceName, readonly string[]>> = {
  redis: ['redis-server', 'redis-tools'],
  'redis-cluster': ['redis-server', 'redis-tools'],
  s3: ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'],
  postgres: ['postgresql'],
  pgbouncer: ['pgbouncer'],
}

/** The origin of a service, or the reason why it is unavailable. */
export type Provision = Unavailable | FoundProgram | { readonly available: true; readonly from: 'environment' }

/** The planned origin of a service. `packages` are not installed yet. */
export type ServicePlan =
  | Provision
  | { readonly available: true; readonly from: 'packages'; readonly packages: readonly string[] }

/**
 * Plan the origin of each service: a server that the environment names, an installed program, Debian packages if they
 * may be installed, or Docker. Installs nothing.
 *
 * `SPILLWAY_INSTALL_SERVICES=1` allows installing with a `sudo` that needs no password, and `0` forbids installing.
 * Otherwise, only root installs.
 */
export async function planServices(
  names: readonly ServiceName[] = SERVICE_NAMES,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Readonly<Record<string, ServicePlan>>> {
  const entries = names.map(async (name): Promise<[ServiceName, ServicePlan]> => {
    if (environment[OWN_SERVER_VARIABLES[name][0]] !== undefined)
      return [name, { available: true, from: 'environment' }]
    const found = await findService(name)
    if (found.available && found.from === 'installed') return [name, found]
    const prefix = await installer(environment)
    if (typeof prefix !== 'string') return [name, { available: true, from: 'packages', packages: PACKAGES[name] }]
    return [name, found.available ? found : unavailable(`${found.why} ${prefix} (${PACKAGES[name].join(' ')})`)]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Carry out the plan of {@link planServices}. Prints the packages before it installs them. */
export async function provision(
  names: readonly ServiceName[] = SERVICE_NAMES,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Readonly<Record<string, Provision>>> {
  const plans = Object.entries(await planServices(names, environment))
  const packages = new Set(plans.flatMap(([, plan]) => ('packages' in plan ? plan.packages : [])))
  const problem = packages.size > 0 ? await install([...packages], environment) : undefined
  const entries = plans.map(async ([name, plan]): Promise<[string, Provision]> => {
    if (!('packages' in plan)) return [name, plan]
    const found = await findService(name as ServiceName)
    if (found.available || problem === undefined) return [name, found]
    return [name, unavailable(`${found.why} ${problem} (${plan.packages.join(' ')})`)]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Install Debian packages. Returns the reason of a failure. */
async function install(packages: readonly string[], environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const prefix = await installer(environment)
  if (typeof prefix === 'string') return prefix
  console.error(
    `Installing Debian packages for tests: ${packages.join(' ')} (SPILLWAY_INSTALL_SERVICES=0 forbids this).`,
  )
  const run = async (...args: string[]): Promise<string | undefined> => {
    const [command = '', ...words] = [...prefix, 'apt-get', ...args]
    const { exitCode, output } = await runProgram(command, words, {
      timeoutMs: INSTALL_MS,
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    })
    return exitCode === 0 ? undefined : `apt-get ${args[0]} failed with ${output.trim().slice(-500)}`
  }
  // An update also fails for unneeded package sources, so its result is ignored.
  await run('update')
  const problem = await run('install', '--yes', '--no-install-recommends', ...packages)
  forgetRedis()
  forgetCeph()
  return problem
}

/** Return the words before `apt-get`, or the reason why nothing may be installed. */
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
