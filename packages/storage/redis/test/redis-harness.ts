import { randomUUID } from 'node:crypto'
import { Cluster, Redis } from 'ioredis'
import { faultProxy, type FaultProxy, type RedisNode } from '@spillway-internal/services'
import { killConformanceWriter } from '@spillway-internal/storage-suite'
import type { ConformanceHarness } from '@spillway/core/conformance'
import { RedisStorage, type RedisClient } from '../src/index.ts'
import { MAX_TOMBSTONES } from '../src/scripts.ts'
import { isRecord, rawKeys, removeKeys } from './support/raw-keys.ts'
import { redisBackend } from './soak-backend.ts'

const TIMEOUTS = { commandTimeoutMs: 4_000, connectTimeoutMs: 1_000 }

/** A server to run the suite on. */
export interface HarnessTarget {
  readonly name: string
  readonly url: string
  /** The nodes of the server. A single server has one node. */
  readonly nodes: readonly RedisNode[]
}

/** The target of a single server's url. */
export function singleTarget(url: string): HarnessTarget {
  const { hostname, port } = new URL(url)
  return { name: '@spillway/redis', url, nodes: [{ host: hostname, port: Number(port) }] }
}

/** Connects the conformance suite to the storage of this package, on a single server or a Cluster. */
export const redisHarness = (target: HarnessTarget): ConformanceHarness => ({
  name: target.name,
  settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
  timeoutMs: 120_000,
  async create(settings) {
    const prefix = `conformance-${randomUUID()}`
    const proxies = await Promise.all(target.nodes.map((node) => faultProxy(node)))
    const [proxy] = proxies
    const behind = proxies.length > 1 ? clientOf(target, proxies) : `redis://${proxy?.host}:${proxy?.port}`
    const raw = clientOf(target, undefined)
    let now = Date.now()
    const open = (client: RedisClient | string): RedisStorage =>
      new RedisStorage(client, { prefix, ...TIMEOUTS, ...settings, now: () => now })
    const storages: RedisStorage[] = []
    const opened = (client: RedisClient | string): RedisStorage => {
      const storage = open(client)
      storages.push(storage)
      return storage
    }
    return {
      storage: opened(behind),
      powers: {
        clock: { now: () => now, advance: (milliseconds) => void (now += milliseconds) },
        reopen: async () => opened(target.url),
        outage: async () => {
          await Promise.all(proxies.map((proxy) => proxy.refuse()))
          return async () => void (await Promise.all(proxies.map((proxy) => proxy.restore())))
        },
        residue: async () => (await rawKeys(raw, `{${prefix}*`)).filter(isRecord).length,
        plant: (content) => plant(raw, prefix, Buffer.from(content)),
        kill: (script) => killConformanceWriter(redisBackend(target, prefix), script),
        damage: async (reference) => {
          const key = `{${prefix}:}:entry:${reference}`
          const value = await raw.getBuffer(key)
          if (value === null) throw new Error(`${key} is not there.`)
          await raw.set(key, value.subarray(0, -1))
        },
        maxTombstones: MAX_TOMBSTONES,
      },
      dispose: async () => {
        for (const storage of storages) await storage.close()
        await unlessAway(removeKeys(raw, `*${prefix}*`))
        for (const client of [behind, raw]) if (typeof client !== 'string') client.disconnect()
        await Promise.all(proxies.map((proxy) => proxy.close()))
      },
    }
  },
})

/** Ignore a server that does not run. Its tests are skipped, and it has no keys to remove. */
async function unlessAway(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!['MaxRetriesPerRequestError', 'ClusterAllFailedError'].includes((error as Error).name)) throw error
  }
}

/** A client of the target, behind proxies if there are any. */
function clientOf({ nodes }: HarnessTarget, proxies: readonly FaultProxy[] | undefined): RedisClient {
  const addresses = proxies ?? nodes
  const [first] = addresses
  if (nodes.length === 1)
    return quiet(new Redis({ host: first?.host ?? '', port: first?.port ?? 0, lazyConnect: true }))
  const natMap = Object.fromEntries(
    nodes.map(({ host, port }, index) => {
      const { host: toHost, port: toPort } = addresses[index] ?? { host, port }
      return [`${host}:${port}`, { host: toHost, port: toPort }]
    }),
  )
  const options = { lazyConnect: true, natMap, clusterRetryStrategy: () => 50 }
  return quiet(
    new Cluster(
      addresses.map(({ host, port }) => ({ host, port })),
      options,
    ),
  )
}

/** Keep ioredis from writing every failed connection of an outage to the console. */
function quiet(client: RedisClient): RedisClient {
  client.on('error', () => undefined)
  return client
}

/**
 * Put content under keys beside the storage, under keys of storages with similar prefixes, and under its own keys
 * without an index.
 */
async function plant(raw: RedisClient, prefix: string, content: Buffer): Promise<string[]> {
  for (const key of [
    `foreign-${prefix}`,
    `{${prefix}}:entry:foreign`,
    `{${prefix}x:}:entry:foreign`,
    `{x${prefix}:}:entry:foreign`,
    `{${prefix}:}:foreign`,
    `{${prefix}:}:entry:planted`,
    `{${prefix}:a}:entry:other`,
  ])
    await raw.set(key, content)
  const other = new RedisStorage(raw, { prefix: `${prefix}.` })
  const reference = await other.store('call_1_0', content)
  return [
    reference,
    'foreign',
    'planted',
    'other',
    'a/other',
    '}:entry:foreign',
    `{${prefix}:}:foreign`,
    '*',
    'planted*',
  ]
}
