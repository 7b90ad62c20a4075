/** Reason that a service is unavailable here. */
export interface Unavailable {
  readonly available: false
  /** One sentence that also says what would help. */
  readonly why: string
}

/** A single Redis node. */
export interface RedisService {
  readonly available: true
  /** Such as `redis://127.0.0.1:17000`. */
  readonly url: string
}

/** A Redis Cluster. */
export interface RedisClusterService {
  readonly available: true
  /** Such as `redis+cluster://127.0.0.1:17000,127.0.0.1:17001,127.0.0.1:17002`. */
  readonly url: string
  readonly nodes: readonly RedisNode[]
}

/** A PostgreSQL server. */
export interface PostgresService {
  readonly available: true
  /** Such as `postgres://spillway@127.0.0.1:17000/postgres`. */
  readonly url: string
}

/** A PgBouncer in front of a PostgreSQL server. */
export interface PgBouncerService extends PostgresService {
  readonly poolMode: 'transaction'
}

/** The address of a node of a Redis Cluster. */
export interface RedisNode {
  readonly host: string
  readonly port: number
}

/** An S3 server, and what a client needs to use it. */
export interface S3Service {
  readonly available: true
  /** Such as `http://127.0.0.1:17000`. Buckets are addressed by path. */
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  /** The folder of the Ceph cluster behind it, if this project started one. */
  readonly cephFolder?: string | undefined
}

/** The services that a test run shares, by name. */
export interface SharedServices {
  readonly redis: RedisService
  readonly 'redis-cluster': RedisClusterService
  readonly s3: S3Service
  readonly postgres: PostgresService
  readonly pgbouncer: PgBouncerService
}

/** The name of a shared service. */
export type ServiceName = keyof SharedServices

/** The names of all shared services. */
export const SERVICE_NAMES: readonly ServiceName[] = ['redis', 'redis-cluster', 's3', 'postgres', 'pgbouncer']

/** Say that a service cannot be had, and why. */
export const unavailable = (why: string): Unavailable => ({ available: false, why })
