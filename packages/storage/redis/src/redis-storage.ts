import {
  ManagedStorage,
  parseEviction,
  splitId,
  type CollectReport,
  type EntryId,
  type StorageDriver,
} from '@spillway/core/driver'
import { Cluster, Redis } from 'ioredis'
import { Connection } from './connection.ts'
import { EntryLister, scopeSet, type Scopes } from './entry-lister.ts'
import { EntryReader, serverEviction } from './entry-reader.ts'
import { entryWriter, nonceTime } from './entry-writer.ts'
import { indexKey, Keys, scopeOfPrefix, scriptKeys, writersKey } from './keys.ts'
import {
  clusterUrl,
  redisSettings,
  type ConnectionOptions,
  type ConnectionSettings,
  type RedisClient,
  type RedisNodeAddress,
  type RedisStorageOptions,
} from './redis-options.ts'
import {
  EVICT,
  FIND_EVICTION,
  FIND_LOST,
  FORGET_EVICTIONS,
  RESTORE,
  SWEEP,
  TOMBSTONE_AGE_MS,
  TOUCH,
  type Script,
} from './scripts.ts'

/**
 * Store content in Redis 6.2 or later: a single server, a server with sentinels, or a Cluster.
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
    super(redisDriver({ connection: openConnection(connection), prefix, chunkBytes, now }), managed)
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

export function redisDriver(options: RedisDriverOptions): StorageDriver {
  const { connection, prefix, chunkBytes, now, leftoverAgeMs = LEFTOVER_AGE_MS, scopeAgeMs } = options
  const keys = new Keys(prefix)
  const scopes = scopeSet(connection, keys, scopeAgeMs)
  const reader = new EntryReader(connection, now)
  const writeEntry = entryWriter(connection, chunkBytes, { pendingMs: leftoverAgeMs, now })
  const lister = new EntryLister(connection, keys, scopes, now)
  /** Runs a script on the keys of one entry, whose reference is the first argument. */
  const script = (name: Script, id: EntryId, ...args: (string | number)[]): Promise<unknown> => {
    const { tag, reference } = keys.place(id)
    return connection.script(name, scriptKeys(tag, [reference]), [reference, ...args])
  }
  return {
    // Up to this size, sending the content is as fast as checking whether it exists.
    touchFirstBytes: 128 * 1024,

    async write(id, chunks, info, lineIndex) {
      const path = splitId(id).path
      await scopes.enter(path)
      const { isFirst, ...written } = await writeEntry(keys.place(id), chunks, info, lineIndex)
      // The scope may have been removed as empty during a long write, so it is added again.
      if (isFirst) await scopes.add([path])
      return written
    },

    read: (id, range) => reader.read(keys.place(id), range),
    open: (id) => reader.open(keys.place(id)),
    stat: (id) => reader.stat(keys.place(id)),

    async touch(id, lastUsedAt) {
      const usedAt = await script(TOUCH, id, lastUsedAt)
      return usedAt === null ? undefined : Number(usedAt)
    },

    async remove(id) {
      let removed = false
      for await (const _ of lister.remove(splitId(id).path, [keys.place(id).reference])) removed = true
      return removed
    },

    list: (prefix, { unusedSince = Infinity } = {}) => lister.list(prefix, unusedSince),
    removeAll: (prefix) => lister.removeAll(prefix),

    async evict(id, unusedSince, eviction) {
      const kept = eviction === undefined ? '' : JSON.stringify(eviction)
      return Number(await script(EVICT, id, unusedSince, eviction?.evictedAt ?? 0, kept)) === 1
    },

    async findEviction(id) {
      const time = now()
      const kept = await script(FIND_EVICTION, id, time, JSON.stringify(serverEviction(time)))
      return Buffer.isBuffer(kept) ? parseEviction(kept.toString()) : undefined
    },

    collect: collectorOf(connection, keys, scopes, leftoverAgeMs),
    close: () => connection.close(),
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
  const { url, connection } = settings
  if (connection.keyPrefix !== undefined) throw refusedKeyPrefix()
  const parsed = url === undefined ? undefined : clusterUrl(url)
  if (parsed !== undefined) return clusterOf(parsed.nodes, settings, parsed.options)
  const options = connectionOptions(settings, {})
  const client = url === undefined ? new Redis(options) : new Redis(url, options)
  if (Number.isNaN(client.options.db))
    throw new TypeError('The database of Redis must be a number, as in redis://host:port/2.')
  return client
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
    // If the server became a replica, its name may lead to another server now.
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
  // Single nodes are not reconnected, because the Cluster client finds the new master.
  const {
    retryStrategy: _,
    lazyConnect: __,
    maxRetriesPerRequest: ___,
    ...redisOptions
  } = connectionOptions(settings, fromUrl)
  return new Cluster([...nodes], {
    lazyConnect: true,
    redisOptions,
    // Keep host names, because certificates are issued for them.
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
    throw new TypeError(`The client is in ${client.mode} mode and can send no other commands. Pass another client.`)
}

const refusedKeyPrefix = (): TypeError =>
  new TypeError('The client must not have a keyPrefix: scripts and SCAN do not see it. Set "prefix" of RedisStorage.')

function addressOf(client: RedisClient): string {
  if ('nodes' in client) return 'the Redis Cluster'
  const { host, port, path, sentinels, name } = client.options
  if (path != null) return path
  return sentinels == null ? `${host ?? 'localhost'}:${port ?? 6379}` : `the sentinels' master ${name ?? ''}`
}

const MEMBERS_AT_ONCE = 500
const SCOPES_AT_ONCE = 100

interface Report {
  leftovers: number
  bytes: number
}

/** Removes leftovers of killed writers, restores lost indexes, and deletes old tombstones. */
function collectorOf(
  connection: Connection,
  keys: Keys,
  scopes: Scopes,
  leftoverAgeMs: number,
): (prefix: string, now: number) => Promise<CollectReport> {
  const sweep = async (path: string, writer: string, names: readonly string[], now: number, report: Report) => {
    const [reference = '', nonce = ''] = writer.split(':')
    const args = [reference, nonce, nonceTime(nonce), now - leftoverAgeMs]
    const named = [...scriptKeys(keys.tag(path), [reference]), ...names]
    const [leftovers, bytes] = (await connection.script(SWEEP, named, args)) as unknown[]
    report.leftovers += Number(leftovers)
    report.bytes += Number(bytes)
  }

  /** Removes chunks without an entry, and restores indexes. Restored entries have different last uses up to `now`. */
  const repair = async (prefix: string, now: number, report: Report): Promise<void> => {
    const restored = new Map<string, number>()
    for await (const page of connection.scan(keys.pattern(scopeOfPrefix(prefix)))) {
      const found = page.flatMap((key) => keys.parse(key) ?? [])
      const byScope = Map.groupBy(found, ({ path }) => path)
      const work = Array.from(byScope, async ([path, parsed]) => {
        for (const [writer, chunks] of Map.groupBy(parsed, (one) => one.writer)) {
          const names = chunks.map(({ key }) => key)
          if (writer !== undefined) await sweep(path, writer, names, now, report)
        }
        const references = parsed.flatMap(({ reference }) => reference ?? [])
        const before = restored.get(path) ?? 0
        const named = scriptKeys(keys.tag(path), references)
        const [, added] = (await connection.script(RESTORE, named, [now - before, ...references])) as unknown[]
        if (Number(added) > 0) restored.set(path, before + Number(added))
      })
      await Promise.all(work)
      await scopes.add([...byScope.keys()])
    }
  }

  /** Removes chunks of killed writers, and old tombstones. */
  const settle = async (path: string, now: number, report: Report): Promise<void> => {
    const tag = keys.tag(path)
    const killed = await connection.command('ZRANGEBYSCORE', writersKey(tag), '-inf', now - leftoverAgeMs)
    for (const writer of killed as Buffer[]) await sweep(path, String(writer), [], now, report)
    const forget = (): Promise<unknown> =>
      connection.script(FORGET_EVICTIONS, [indexKey(tag)], [now - TOMBSTONE_AGE_MS])
    while (Number(await forget()) > 0);
  }

  const findLost = async (path: string, now: number): Promise<void> => {
    const tag = keys.tag(path)
    const eviction = JSON.stringify(serverEviction(now))
    let cursor = '0'
    do {
      const reply = await connection.command('ZSCAN', indexKey(tag), cursor, 'COUNT', MEMBERS_AT_ONCE)
      const [next, members] = reply as [Buffer, Buffer[]]
      const references = members.filter((_, at) => at % 2 === 0).map(String)
      cursor = String(next)
      if (references.length > 0)
        await connection.script(FIND_LOST, scriptKeys(tag, references), [now, eviction, ...references])
    } while (cursor !== '0')
  }

  return async (prefix, now) => {
    const report = { leftovers: 0, bytes: 0 }
    // All keys are read only if gc runs for the whole storage, or if the server may have evicted entries.
    const repairs = prefix === '' || (await connection.mayLoseKeys())
    if (repairs) await repair(prefix, now, report)
    for await (const paths of scopes.below(prefix))
      for (let at = 0; at < paths.length; at += SCOPES_AT_ONCE)
        await Promise.all(
          paths.slice(at, at + SCOPES_AT_ONCE).map(async (path) => {
            await settle(path, now, report)
            if (repairs) await findLost(path, now)
            await scopes.prune(path)
          }),
        )
    return report
  }
}
