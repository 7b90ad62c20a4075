import { hasDocker, REDIS_IMAGE } from './docker.ts'
import { runProgram } from './run-program.ts'
import { unavailable, type Unavailable } from './service.ts'

const OLDEST = [6, 2]

/** An installed program, or an image, of a server. */
export interface FoundProgram {
  readonly available: true
  readonly version: string
  readonly from: 'installed' | 'docker' | 'npm'
}

let found: Promise<FoundProgram | Unavailable> | undefined

/** Find an available Redis: an installed one from version 6.2 on, otherwise Docker's. The result is cached. */
export async function findRedis(): Promise<FoundProgram | Unavailable> {
  found ??= look()
  return await found
}

/** Remove the cached result, because a program was installed. */
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

/** Return whether a version of Redis is new enough for the backends. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}
