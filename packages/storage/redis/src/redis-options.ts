import {
  assertKnownOptions,
  assertMilliseconds,
  assertWhole,
  MANAGED_OPTIONS,
  shown,
  type ManagedStorageOptions,
} from '@spillway/core/driver'
import type { Cluster, Redis, RedisOptions } from 'ioredis'

const KIB = 1024
const DEFAULT_PREFIX = 'spillway'
/** Together with the overhead of Redis, a chunk needs just under 1 MiB of memory. */
const DEFAULT_CHUNK_BYTES = 1_020 * KIB
const MIN_CHUNK_BYTES = 4 * KIB
const MAX_CHUNK_BYTES = 16 * KIB * KIB
const DEFAULT_COMMAND_TIMEOUT_MS = 10_000
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000
const NAMES: readonly string[] = [
  'url',
  'client',
  'connection',
  'prefix',
  'chunkBytes',
  'commandTimeoutMs',
  'connectTimeoutMs',
  ...MANAGED_OPTIONS,
] satisfies (keyof RedisStorageOptions)[]

export type ConnectionOptions = Omit<RedisOptions, 'replyMapping'>

/** Options of {@link RedisStorage}. At most one of `url` and `client` is allowed. */
export interface RedisStorageOptions extends ManagedStorageOptions {
  /**
   * URL `redis://user:password@host:port/db`, `rediss://…` for TLS, or
   * `redis+cluster://user:password@host:port,host:port` for some nodes of a Cluster.
   */
  readonly url?: string | undefined
  /** An ioredis client, which the storage does not close. It must not have a `keyPrefix`. */
  readonly client?: RedisClient | undefined
  /** Options of ioredis for each connection, for example `tls`, `username`, `password`, or `sentinels`. */
  readonly connection?: ConnectionOptions | undefined
  /** Prefix of all keys, inside braces. Storages on one server need different prefixes. Defaults to `spillway`. */
  readonly prefix?: string | undefined
  /** Size of a chunk in bytes. Larger content is split. Defaults to 1,044,480, which needs 1 MiB in Redis. */
  readonly chunkBytes?: number | undefined
  /** Milliseconds before a command fails as `unavailable`, ignored for a `client`. Defaults to 10,000. */
  readonly commandTimeoutMs?: number | undefined
  /** Milliseconds for connecting, ignored for a `client`. Defaults to 5,000. */
  readonly connectTimeoutMs?: number | undefined
}

export interface ConnectionSettings {
  readonly url?: string | undefined
  readonly client?: RedisClient | undefined
  readonly connection: ConnectionOptions
  readonly commandTimeoutMs: number
  readonly connectTimeoutMs: number
}

interface RedisSettings {
  readonly connection: ConnectionSettings
  readonly prefix: string
  readonly chunkBytes: number
  readonly managed: ManagedStorageOptions
}

/** Throws a `TypeError` that names the option. */
export function redisSettings(
  target: string | RedisClient | RedisStorageOptions,
  more: RedisStorageOptions,
): RedisSettings {
  const given = optionsOf(target)
  assertKnownOptions(given, NAMES, 'RedisStorage')
  assertKnownOptions(more, NAMES, 'RedisStorage')
  const { url, client, connection = {}, prefix = DEFAULT_PREFIX, ...rest } = { ...given, ...more }
  const {
    chunkBytes = DEFAULT_CHUNK_BYTES,
    commandTimeoutMs = DEFAULT_COMMAND_TIMEOUT_MS,
    connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS,
    ...managed
  } = rest
  if (url !== undefined && client !== undefined)
    throw new TypeError('RedisStorage takes either a url or a client. Leave one of them out.')
  if (url !== undefined && typeof url !== 'string')
    throw new TypeError(`url must be a string such as 'redis://localhost:6379', got ${shown(url)}.`)
  if (client !== undefined && !isRedisClient(client))
    throw new TypeError('client must be a Redis or Cluster of ioredis 6. Pass what new Redis(…) returns.')
  if (typeof connection !== 'object' || connection === null || Array.isArray(connection))
    throw new TypeError(`connection must be an object of options of ioredis, got ${shown(connection)}.`)
  if (url === undefined && client === undefined && Object.keys(connection).length === 0)
    throw new TypeError("RedisStorage needs a server: a url such as 'redis://localhost:6379', or a client.")
  if (client !== undefined && Object.keys(connection).length > 0)
    throw new TypeError(
      'The option "connection" is for clients that the storage makes. Leave "connection" out if you pass a client.',
    )
  if (typeof prefix !== 'string' || !/^[\w.:/-]{1,100}$/.test(prefix))
    throw new TypeError(`prefix must be 1 to 100 characters of a-z A-Z 0-9 _ - . : /.`)
  assertWhole('chunkBytes', chunkBytes, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES)
  assertMilliseconds('commandTimeoutMs', commandTimeoutMs)
  assertMilliseconds('connectTimeoutMs', connectTimeoutMs)
  const where = { url, client, connection, commandTimeoutMs, connectTimeoutMs }
  return { connection: where, prefix, chunkBytes, managed }
}

function optionsOf(target: string | RedisClient | RedisStorageOptions = {}): RedisStorageOptions {
  if (typeof target === 'string') return { url: target }
  return isRedisClient(target) ? { client: target } : target
}

/** An ioredis client of a single server, a server with sentinels, or a Cluster. */
export type RedisClient = Redis | Cluster

/** Whether a value is a client. It may be from another copy of ioredis. */
const isRedisClient = (value: unknown): value is RedisClient =>
  typeof value === 'object' && value !== null && typeof (value as { sendCommand?: unknown }).sendCommand === 'function'

const DEFAULT_PORT = 6379
const EXAMPLE = 'redis+cluster://host:7000,host:7001'

/** Address of a node of a Cluster. */
export interface RedisNodeAddress {
  readonly host: string
  readonly port: number
}

interface ClusterUrl {
  readonly nodes: readonly RedisNodeAddress[]
  readonly options: ConnectionOptions
}

/** Returns `undefined` for a single server's URL. Throws a `TypeError` without the password if the URL is invalid. */
export function clusterUrl(url: string): ClusterUrl | undefined {
  const [, secure, cluster, rest = ''] = /^redis(s?)(\+cluster)?:\/\/(.*)$/s.exec(url) ?? []
  if (secure === undefined)
    throw new TypeError(`A url of Redis begins with redis://, rediss:// or redis+cluster://, such as ${EXAMPLE}.`)
  const at = rest.lastIndexOf('@')
  const hosts = rest.slice(at + 1).replace(/\/$/, '')
  const credentials = at < 0 ? {} : credentialsOf(rest.slice(0, at))
  if (cluster === undefined) {
    if (hosts.includes(',')) throw new TypeError(`Several hosts are a Cluster: write the url as ${EXAMPLE}.`)
    assertReadable(url)
    return undefined
  }
  if (/[/?#]/.test(hosts))
    throw new TypeError(`A url of a Cluster has only hosts and ports, such as ${EXAMPLE}: a Cluster has one database.`)
  return {
    nodes: hosts.split(',').map((host, index) => nodeOf(host, index + 1)),
    options: { ...credentials, ...(secure === '' ? {} : { tls: {} }) },
  }
}

/** Checks that the URL can be parsed. Otherwise, a part of the password could count as the host, which is shown. */
function assertReadable(url: string): void {
  const { pathname, search, hash } = URL.parse(url) ?? {}
  if (pathname === undefined || /@/.test(`${pathname}${search}${hash}`))
    throw new TypeError(
      'The url of Redis cannot be read. Write it as redis://user:password@host:port/db, with special characters of the password percent-encoded.',
    )
}

function credentialsOf(text: string): ConnectionOptions {
  const colon = text.indexOf(':')
  const username = decoded(colon < 0 ? text : text.slice(0, colon))
  const password = colon < 0 ? '' : decoded(text.slice(colon + 1))
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('Write %25 for a percent sign in the user or the password of a url of Redis.')
  }
}

function nodeOf(text: string, number: number): RedisNodeAddress {
  const [, host, port = `${DEFAULT_PORT}`] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (host === undefined)
    throw new TypeError(`Node ${number} of the url must be a host and a port, for example ${EXAMPLE}.`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
