/** The reason why a service is unavailable. */
export interface Unavailable {
  readonly available: false
  /** One sentence that includes a fix. */
  readonly why: string
}

/** A single Redis node. */
export interface RedisService {
  readonly available: true
  /** The URL, for example `redis://127.0.0.1:17000`. */
  readonly url: string
}

/** A Redis Cluster. */
export interface RedisClusterService {
  readonly available: true
  /** The URL, for example `redis+cluster://127.0.0.1:17000,127.0.0.1:17001,127.0.0.1:17002`. */
  readonly url: string
  readonly nodes: readonly RedisNode[]
}

/** A PostgreSQL server. */
export interface PostgresService {
  readonly available: true
  /** The URL, for example `postgres://spillway@127.0.0.1:17000/postgres`. */
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

/** An S3 server, with everything that a client needs. */
export interface S3Service {
  readonly available: true
  /** The URL, for example `http://127.0.0.1:17000`. Buckets are in the path. */
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  /** The folder of the server's Ceph cluster, if this project has started it. */
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

/** Return the result for a service that is unavailable, with the reason. */
export const unavailable = (why: string): Unavailable => ({ available: false, why })
