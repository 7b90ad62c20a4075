import { ownPgBouncer, ownPostgres, ownRedis, ownRedisCluster, ownS3 } from './own-servers.ts'
import { askBroker, BROKER_VARIABLE } from './service-broker.ts'
import { ServiceStarter } from './service-starter.ts'
import type {
  PgBouncerService,
  PostgresService,
  RedisClusterService,
  RedisService,
  S3Service,
  ServiceName,
  SharedServices,
  Unavailable,
} from './service.ts'

/** Starts services for processes outside of a test run, such as benchmarks. The services end with the process. */
const own = new ServiceStarter()

/**
 * Return a Redis node that all tests of a run share: the one that `SPILLWAY_TEST_REDIS_URL` names, or one that this run
 * starts and stops. Use keys with a separate prefix. `describe.skipIf(!redis.available)` skips tests if it is
 * unavailable.
 */
export async function sharedRedis(): Promise<RedisService | Unavailable> {
  return ownRedis(process.env) ?? (await shared('redis'))
}

/** Return a Redis Cluster that tests share, or that `SPILLWAY_TEST_REDIS_CLUSTER` names; see {@link sharedRedis}. */
export async function sharedRedisCluster(): Promise<RedisClusterService | Unavailable> {
  return ownRedisCluster(process.env) ?? (await shared('redis-cluster'))
}

/** Return an S3 server that all tests share, or that `SPILLWAY_TEST_S3_*` names. Use separate buckets. */
export async function sharedS3(): Promise<S3Service | Unavailable> {
  return ownS3(process.env) ?? (await shared('s3'))
}

/** Return a PostgreSQL that all tests share, or that `SPILLWAY_TEST_POSTGRES_URL` names. Use separate schemas. */
export async function sharedPostgres(): Promise<PostgresService | Unavailable> {
  return ownPostgres(process.env) ?? (await shared('postgres'))
}

/** Return a PgBouncer that all tests share, or that `SPILLWAY_TEST_PGBOUNCER_URL` names; see {@link sharedPostgres}. */
export async function sharedPgBouncer(): Promise<PgBouncerService | Unavailable> {
  return ownPgBouncer(process.env) ?? (await shared('pgbouncer'))
}

/** Return a shared service by name. */
export async function sharedService(name: ServiceName): Promise<SharedServices[ServiceName] | Unavailable> {
  if (name === 'redis') return await sharedRedis()
  if (name === 'postgres') return await sharedPostgres()
  if (name === 'pgbouncer') return await sharedPgBouncer()
  return name === 's3' ? await sharedS3() : await sharedRedisCluster()
}

async function shared<Name extends ServiceName>(name: Name): Promise<SharedServices[Name] | Unavailable> {
  const broker = process.env[BROKER_VARIABLE]
  return broker === undefined ? await own.get(name) : await askBroker(broker, name)
}
