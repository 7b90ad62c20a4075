import {
  ManagedStorage,
  type ByteRange,
  type CollectReport,
  type DriverContent,
  type DriverEntry,
  type DriverListOptions,
  type EntryId,
  type EntryInfo,
  type Eviction,
  type NewEntryInfo,
  type OpenEntry,
  type StorageDriver,
  type WrittenEntry,
} from '@spillway/core/driver'
import { Cluster, Redis } from 'ioredis'
import { Collector } from './collector.ts'
import { Connection } from './connection.ts'
import { EntryLister, Scopes } from './entry-lister.ts'
import { EntryReader, serverEviction } from './entry-reader.ts'
import { EntryWriter } from './entry-writer.ts'
import { Keys, scriptKeys } from './keys.ts'
import {
  clusterUrl,
  redisSettings,
  type ConnectionOptions,
  type ConnectionSettings,
  type RedisClient,
  type RedisNodeAddress,
  type RedisStorageOptions,
} from './redis-options.ts'
import { EVICT, FIND_EVICTION, TOUCH } from './scripts.ts'

/**
 * Store content in Redis 6.2 or later: a single server, one behind sentinels, or a Cluster.
 *
 * The constructor does not connect. If the server cannot be reached, operations reject with `unavailable` within their
 * timeout. When the server is back, they work again.
 *
 * @param target - A URL, options, or an ioredis client. The storage does not close the client.
 * @param options - Further options, if `target` is a URL or a client.
 * @throws TypeError if an option is unknown or invalid, or if the client has a `keyPrefix`.
 *
 * @example
 * ```ts
 * import { RedisStorage } from '@spillway/redis'
 *
 * const url = process.env['SPILLWAY_TEST_REDIS_URL']
 * const storage = new RedisStorage(url ?? 'redis://localhost:6379', { prefix: 'docs', ttlMs: 7 * 24 * 3_600_000 })
 * if (url !== undefined) {
 *   const session = storage.scope('tenant-1', 'session-1')
 *   const reference = await session.store('call_1_0', new TextEncoder().encode('hello'))
 *   const { content, contentType } = await session.retrieve(reference)
 *   console.assert(new TextDecoder().decode(content) === 'hello' && contentType === 'text/plain')
 * }
 * await storage.close()
 * ```
 */
export class RedisStorage extends ManagedStorage {
  constructor(target: string | RedisClient | RedisStorageOptions, options: RedisStorageOptions = {}) {
    const { connection, prefix, chunkBytes, managed } = redisSettings(target, options)
    const { now = Date.now } = managed
    super(new RedisDriver({ connection: openConnection(connection), prefix, chunkBytes, now }), managed)
  }
}

const LEFTOVER_AGE_MS: number = 10 * 60_000

export interface RedisDriverOptions {
  readonly connection: Connection
  readonly prefix: string
  readonly chunkBytes: number
  readonly now: () => number
  readonly leftoverAgeMs?: number | undefined
  readonly scopeAgeMs?: number | undefined
}

export class RedisDriver implements StorageDriver {
  /** Size up to which sending the content is as fast as asking whether it exists. */
  readonly touchFirstBytes: number = 128 * 1024
  readonly #connection: Connection
  readonly #keys: Keys
  readonly #scopes: Scopes
  readonly #reader: EntryReader
  readonly #writer: EntryWriter
  readonly #lister: EntryLister
  readonly #collector: Collector
  readonly #now: () => number

  constructor({
    connection,
    prefix,
    chunkBytes,
    now,
    leftoverAgeMs = LEFTOVER_AGE_MS,
    scopeAgeMs,
  }: RedisDriverOptions) {
    this.#connection = connection
    this.#now = now
    this.#keys = new Keys(prefix)
    this.#scopes = new Scopes(connection, this.#keys, scopeAgeMs)
    this.#reader = new EntryReader(connection, now)
    this.#writer = new EntryWriter(connection, chunkBytes, { pendingMs: leftoverAgeMs, now })
    this.#lister = new EntryLister(connection, this.#keys, this.#scopes, now)
    this.#collector = new Collector(connection, this.#keys, this.#scopes, leftoverAgeMs)
  }

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined = () => undefined,
  ): Promise<WrittenEntry> {
    const path = pathOf(id)
    await this.#scopes.enter(path)
    const { isFirst, ...written } = await this.#writer.write(this.#keys.place(id), chunks, info, lineIndex)
    // A long write may outlive its empty scope. Add the scope again.
    if (isFirst) await this.#scopes.add([path])
    return written
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    return this.#reader.read(this.#keys.place(id), range)
  }

  async open(id: EntryId): Promise<OpenEntry | undefined> {
    return this.#reader.open(this.#keys.place(id))
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    return this.#reader.stat(this.#keys.place(id))
  }

  async touch(id: EntryId, lastUsedAt: number): Promise<number | undefined> {
    const { tag, reference } = this.#keys.place(id)
    const usedAt = await this.#connection.script(TOUCH, scriptKeys(tag, [reference]), [reference, lastUsedAt])
    return usedAt === null ? undefined : Number(usedAt)
  }

  async remove(id: EntryId): Promise<boolean> {
    const { reference } = this.#keys.place(id)
    let removed = false
    for await (const _ of this.#lister.remove(pathOf(id), [reference])) removed = true
    return removed
  }

  list(prefix: string, { unusedSince }: DriverListOptions = {}): AsyncIterable<DriverEntry> {
    return this.#lister.list(prefix, unusedSince ?? Infinity)
  }

  removeAll(prefix: string): AsyncIterable<EntryId> {
    return this.#lister.removeAll(prefix)
  }

  async evict(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean> {
    const { tag, reference } = this.#keys.place(id)
    const kept = eviction === undefined ? '' : JSON.stringify(eviction)
    const args = [reference, unusedSince, eviction?.evictedAt ?? 0, kept]
    return Number(await this.#connection.script(EVICT, scriptKeys(tag, [reference]), args)) === 1
  }

  async findEviction(id: EntryId): Promise<Eviction | undefined> {
    const { tag, reference } = this.#keys.place(id)
    const now = this.#now()
    const args = [reference, now, JSON.stringify(serverEviction(now))]
    const kept = await this.#connection.script(FIND_EVICTION, scriptKeys(tag, [reference]), args)
    return Buffer.isBuffer(kept) ? decodeEviction(kept.toString()) : undefined
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    return this.#collector.collect(prefix, now)
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }
}

const pathOf = (id: EntryId): string => id.slice(0, Math.max(0, id.lastIndexOf('/')))

/** Reads a tombstone. Some tombstones are written by our scripts. A tombstone that was changed counts as unknown. */
function decodeEviction(text: string): Eviction | undefined {
  try {
    const { reason, evictedAt, metadata } = JSON.parse(text) as Eviction
    return typeof evictedAt === 'number' && typeof metadata === 'object' ? { reason, evictedAt, metadata } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const MAX_RETRY_DELAY_MS = 1_000

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
    // Commands on a broken connection fail at once and are not executed later.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(25 * 2 ** Math.min(times, 10), MAX_RETRY_DELAY_MS),
    // The server became a replica: its name may lead to another one.
    reconnectOnError: (error) => error.message.includes('READONLY'),
    // A silent connection is closed and opened again.
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
  // Nodes are not reconnected one by one: the Cluster finds the new master.
  const {
    retryStrategy: _,
    lazyConnect: __,
    maxRetriesPerRequest: ___,
    ...redisOptions
  } = connectionOptions(settings, fromUrl)
  return new Cluster([...nodes], {
    lazyConnect: true,
    redisOptions,
    // Keep host names: certificates are issued for them.
    dnsLookup: (address, callback) => callback(null, address),
    slotsRefreshTimeout: Math.min(settings.connectTimeoutMs, settings.commandTimeoutMs),
    clusterRetryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_DELAY_MS),
  })
}

function assertUsable(client: RedisClient): void {
  const { keyPrefix } = client.options
  const perNode = client.isCluster ? (client as Cluster).options.redisOptions?.keyPrefix : undefined
  if (Boolean(keyPrefix) || Boolean(perNode)) throw refusedKeyPrefix()
  if ('nodes' in client) {
    const { scaleReads } = client.options
    if (scaleReads !== undefined && scaleReads !== 'master')
      throw new TypeError(
        'The client reads from replicas (scaleReads), which may lack recent writes. Give the storage a Cluster with scaleReads: "master".',
      )
  } else if (client.mode === 'subscriber' || client.mode === 'monitor')
    throw new TypeError(
      `The client is in ${client.mode} mode and can send no other commands. Give the storage another client.`,
    )
}

const refusedKeyPrefix = (): TypeError =>
  new TypeError(
    'The client must not have a keyPrefix: scripts and SCAN do not see it. Set "prefix" of RedisStorage instead.',
  )

function addressOf(client: RedisClient): string {
  if ('nodes' in client) return 'the Redis Cluster'
  const { host, port, path, sentinels, name } = client.options
  if (path != null) return path
  return sentinels == null ? `${host ?? 'localhost'}:${port ?? 6379}` : `the sentinels' master ${name ?? ''}`
}
