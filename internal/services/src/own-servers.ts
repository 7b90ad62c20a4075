import type { PgBouncerService, PostgresService, RedisClusterService, RedisService, S3Service } from './service.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Environment variables with which developers name their own servers for the tests. */
export const OWN_SERVER_VARIABLES = {
  redis: ['SPILLWAY_TEST_REDIS_URL'],
  'redis-cluster': ['SPILLWAY_TEST_REDIS_CLUSTER'],
  s3: [
    'SPILLWAY_TEST_S3_ENDPOINT',
    'SPILLWAY_TEST_S3_ACCESS_KEY_ID',
    'SPILLWAY_TEST_S3_SECRET_ACCESS_KEY',
    'SPILLWAY_TEST_S3_REGION',
  ],
  postgres: ['SPILLWAY_TEST_POSTGRES_URL'],
  pgbouncer: ['SPILLWAY_TEST_PGBOUNCER_URL'],
} as const

/** Read the Redis that `SPILLWAY_TEST_REDIS_URL` names. */
export function ownRedis(environment: Environment): RedisService | undefined {
  const url = environment['SPILLWAY_TEST_REDIS_URL']
  return url === undefined ? undefined : { available: true, url }
}

/** Read the PostgreSQL that `SPILLWAY_TEST_POSTGRES_URL` names. */
export function ownPostgres(environment: Environment): PostgresService | undefined {
  const url = environment['SPILLWAY_TEST_POSTGRES_URL']
  return url === undefined ? undefined : { available: true, url }
}

/** Read the PgBouncer, in transaction mode, that `SPILLWAY_TEST_PGBOUNCER_URL` names. */
export function ownPgBouncer(environment: Environment): PgBouncerService | undefined {
  const url = environment['SPILLWAY_TEST_PGBOUNCER_URL']
  return url === undefined ? undefined : { available: true, url, poolMode: 'transaction' }
}

/** Read the nodes that `SPILLWAY_TEST_REDIS_CLUSTER` names: `host:port,host:port,…`. Throws if a port is missing. */
export function ownRedisCluster(environment: Environment): RedisClusterService | undefined {
  const list = environment['SPILLWAY_TEST_REDIS_CLUSTER']
  if (list === undefined) return undefined
  const nodes = list.split(',').map((node) => {
    const [, host, port] = /^\s*(.+):(\d+)\s*$/.exec(node) ?? []
    if (host === undefined)
      throw new TypeError(`SPILLWAY_TEST_REDIS_CLUSTER needs host:port,host:port,…; got "${list}".`)
    return { host, port: Number(port) }
  })
  return {
    available: true,
    nodes,
    url: `redis+cluster://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`,
  }
}

/** Read the server that `SPILLWAY_TEST_S3_ENDPOINT` and the variables of its keys name. Throws if a key is missing. */
export function ownS3(environment: Environment): S3Service | undefined {
  const [endpoint, accessKeyId, secretAccessKey, region = 'us-east-1'] = OWN_SERVER_VARIABLES.s3.map(
    (name) => environment[name],
  )
  if (endpoint === undefined) return undefined
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new TypeError('With SPILLWAY_TEST_S3_ENDPOINT set SPILLWAY_TEST_S3_ACCESS_KEY_ID and _SECRET_ACCESS_KEY too.')
  return { available: true, endpoint, accessKeyId, secretAccessKey, region }
}

/** Return the environment variables that name a service. This is the inverse of reading them. */
export function variablesOf(
  service: RedisService | RedisClusterService | S3Service | PostgresService | PgBouncerService,
): Readonly<Record<string, string>> {
  if ('endpoint' in service)
    return {
      SPILLWAY_TEST_S3_ENDPOINT: service.endpoint,
      SPILLWAY_TEST_S3_ACCESS_KEY_ID: service.accessKeyId,
      SPILLWAY_TEST_S3_SECRET_ACCESS_KEY: service.secretAccessKey,
      SPILLWAY_TEST_S3_REGION: service.region,
    }
  if ('nodes' in service)
    return { SPILLWAY_TEST_REDIS_CLUSTER: service.nodes.map(({ host, port }) => `${host}:${port}`).join(',') }
  if ('poolMode' in service) return { SPILLWAY_TEST_PGBOUNCER_URL: service.url }
  if (/^postgres(?:ql)?:/.test(service.url)) return { SPILLWAY_TEST_POSTGRES_URL: service.url }
  return { SPILLWAY_TEST_REDIS_URL: service.url }
}
