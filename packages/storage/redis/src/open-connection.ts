import { Cluster, Redis } from 'ioredis'
import { Connection } from './connection.ts'
import type { RedisClient } from './redis-client.ts'
import { clusterUrl } from './cluster-url.ts'
import type { ConnectionOptions, ConnectionSettings, RedisNodeAddress } from './redis-options.ts'

const MAX_RETRY_DELAY_MS = 1_000

/** Make a connection; nothing is sent before the first command. Throws `TypeError` where it cannot be. */
export function openConnection(settings: ConnectionSettings): Connection {
  const { client, commandTimeoutMs } = settings
  if (client !== undefined) {
    assertUsable(client)
    return new Connection({ client, isOwn: false, address: addressOf(client), commandTimeoutMs })
  }
  const own = clientOf(settings)
  return new Connection({ client: own, isOwn: true, address: addressOf(own), commandTimeoutMs })
}

function clientOf(settings: ConnectionSettings): RedisClient {
  const { url, cluster, connection } = settings
  if (connection.keyPrefix !== undefined) throw refusedKeyPrefix()
  if (cluster !== undefined) return clusterOf(cluster, settings, {})
  if (url === undefined) return new Redis(connectionOptions(settings, {}))
  const parsed = clusterUrl(url)
  if (parsed !== undefined) return clusterOf(parsed.nodes, settings, parsed.options)
  return new Redis(url, connectionOptions(settings, {}))
}

function connectionOptions(
  { connection, commandTimeoutMs, connectTimeoutMs }: ConnectionSettings,
  fromUrl: ConnectionOptions,
): ConnectionOptions {
  return {
    connectTimeout: connectTimeoutMs,
    // What was on its way when the connection broke fails at once, and is not executed later.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(25 * 2 ** Math.min(times, 10), MAX_RETRY_DELAY_MS),
    // The server has become a replica: another may have its name by now.
    reconnectOnError: (error) => error.message.includes('READONLY'),
    // A connection that has died without a word is given up, and made anew.
    socketTimeout: commandTimeoutMs,
    ...fromUrl,
    ...connection,
    lazyConnect: true,
  }
}

function clusterOf(
  nodes: readonly RedisNodeAddress[],
  settings: ConnectionSettings,
  fromUrl: ConnectionOptions,
): RedisClient {
  // Nodes are not reconnected one by one: the Cluster itself looks for who has taken over.
  const {
    retryStrategy: _,
    lazyConnect: __,
    maxRetriesPerRequest: ___,
    ...redisOptions
  } = connectionOptions(settings, fromUrl)
  return new Cluster([...nodes], {
    lazyConnect: true,
    redisOptions,
    // Names stay names, which is what certificates are about.
    dnsLookup: (address, callback) => callback(null, address),
    slotsRefreshTimeout: Math.min(settings.connectTimeoutMs, settings.commandTimeoutMs),
    clusterRetryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_DELAY_MS),
  })
}

/** Refuse a client that would not find what it has stored. */
function assertUsable(client: RedisClient): void {
  const { keyPrefix } = client.options
  const perNode = client.isCluster ? (client as Cluster).options.redisOptions?.keyPrefix : undefined
  if (Boolean(keyPrefix) || Boolean(perNode)) throw refusedKeyPrefix()
  if ('nodes' in client) {
    const { scaleReads } = client.options
    if (scaleReads !== undefined && scaleReads !== 'master')
      throw new TypeError(
        'The client reads from replicas (scaleReads), which may not have yet what was stored. Give the storage a Cluster with scaleReads: "master".',
      )
  } else if (client.mode === 'subscriber' || client.mode === 'monitor')
    throw new TypeError(
      `The client is in ${client.mode} mode and can send no other commands. Give the storage a client of its own.`,
    )
}

const refusedKeyPrefix = (): TypeError =>
  new TypeError(
    'The client must not have a keyPrefix: scripts and SCAN do not see it. Set "prefix" of RedisStorage instead.',
  )

/** Say where a client's server is, without credentials. */
function addressOf(client: RedisClient): string {
  if ('nodes' in client) return 'the Redis Cluster'
  const { host, port, path, sentinels, name } = client.options
  if (path != null) return path
  return sentinels == null ? `${host ?? 'localhost'}:${port ?? 6379}` : `the sentinels' master ${name ?? ''}`
}
