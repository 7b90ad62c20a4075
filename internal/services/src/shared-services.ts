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

/** For processes that belong to no test run, such as benchmarks: their services end with them. */
const own = new ServiceStarter()

/**
 * Return a Redis node that all tests of a run share: the one that `SPILLWAY_TEST_REDIS_URL` names, or one that this run
 * starts and stops. Use keys with a prefix of your own. `describe.skipIf(!redis.available)` counts tests as skipped if it
 * is unavailable.
 */
export async function sharedRedis(): Promise<RedisService | Unavailable> {
  return ownRedis(process.env) ?? (await shared('redis'))
}

/** Return a Redis Cluster that all tests of a run share, by `SPILLWAY_TEST_REDIS_CLUSTER`; see {@link sharedRedis}. */
export async function sharedRedisCluster(): Promise<RedisClusterService | Unavailable> {
  return ownRedisCluster(process.env) ?? (await shared('redis-cluster'))
}

/** Return an S3 server that all tests of a run share, by `SPILLWAY_TEST_S3_*`. Keep to buckets of your own. */
export async function sharedS3(): Promise<S3Service | Unavailable> {
  return ownS3(process.env) ?? (await shared('s3'))
}

/** Return a PostgreSQL that all tests of a run share, by `SPILLWAY_TEST_POSTGRES_URL`. Keep to schemas of your own. */
export async function sharedPostgres(): Promise<PostgresService | Unavailable> {
  return ownPostgres(process.env) ?? (await shared('postgres'))
}

/** Return a PgBouncer that all tests of a run share, by `SPILLWAY_TEST_PGBOUNCER_URL`; see {@link sharedPostgres}. */
export async function sharedPgBouncer(): Promise<PgBouncerService | Unavailable> {
  return ownPgBouncer(process.env) ?? (await shared('pgbouncer'))
}

/** Return a shared service by its name. */
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
