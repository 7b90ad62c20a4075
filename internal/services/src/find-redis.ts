import { hasDocker, REDIS_IMAGE } from './docker.ts'
import { runProgram } from './run-program.ts'
import { unavailable, type Unavailable } from './service.ts'

const OLDEST = [6, 2]

/** An installed program or image that a server can be started from. */
export interface FoundProgram {
  readonly available: true
  readonly version: string
  readonly from: 'installed' | 'docker' | 'npm'
}

let found: Promise<FoundProgram | Unavailable> | undefined

/** Look for a Redis that can be started here: one that is installed, from 6.2 on, else Docker's. Looked for once. */
export async function findRedis(): Promise<FoundProgram | Unavailable> {
  found ??= look()
  return await found
}

/** Look again next time, as something was installed. */
export function forgetRedis(): void {
  found = undefined
}

async function look(): Promise<FoundProgram | Unavailable> {
  const { exitCode, output } = await runProgram('redis-server', ['--version'])
  const version = exitCode === 0 ? redisVersion(output) : undefined
  if (version !== undefined && isNewEnough(version)) return { available: true, version, from: 'installed' }
  if (await hasDocker()) return { available: true, version: REDIS_IMAGE, from: 'docker' }
  const problem = version === undefined ? 'redis-server is not installed' : `redis-server ${version} is older than 6.2`
  return unavailable(
    `${problem}, and no Docker engine answers: install Redis 6.2 or newer, or set SPILLWAY_TEST_REDIS_URL and SPILLWAY_TEST_REDIS_CLUSTER.`,
  )
}

/** Return the version that `redis-server --version` prints. */
export function redisVersion(output: string): string | undefined {
  return /\bv=(\d+\.\d+\.\d+)/.exec(output)?.[1]
}

/** Tell whether backends can be tested with a version of Redis. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}
