/** Real servers for tests: shared servers, servers that tests kill, and proxies that break connections. */
export { faultProxy, type FaultProxy } from './fault-proxy.ts'
export { findPostgres, type FoundPostgres, type PostgresOrigin } from './find-postgres.ts'
export { findRedis, type FoundProgram } from './find-redis.ts'
export { findCeph, findS3 } from './find-s3.ts'
export { httpFaults, type HttpFault, type HttpFaults } from './http-faults.ts'
export { OWN_SERVER_VARIABLES, variablesOf } from './own-servers.ts'
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres-server.ts'
export {
  startRedisCluster,
  type RedisCluster,
  type RedisClusterNode,
  type RedisClusterOptions,
} from './redis-cluster.ts'
export { startRedis, type RedisOptions, type RedisServer } from './redis-server.ts'
export { startS3Gateway, type S3Gateway } from './s3-gateway.ts'
export type {
  PgBouncerService,
  PostgresService,
  RedisClusterService,
  RedisNode,
  RedisService,
  S3Service,
  ServiceName,
  SharedServices,
  Unavailable,
} from './service.ts'
export {
  sharedPgBouncer,
  sharedPostgres,
  sharedRedis,
  sharedRedisCluster,
  sharedS3,
  sharedService,
} from './shared-services.ts'
export { smallDisk, type SmallDisk } from './small-disk.ts'
export { sparePort } from './spare-port.ts'
