/** Opens Redis storages in other processes, for soak tests and the conformance suite. */
import type { Backend } from '@spillway-internal/storage-suite'
import type { ManagedStorageOptions, StoredInfo } from '@spillway/core'
import { Cluster, Redis } from 'ioredis'
import { RedisStorage, type RedisClient } from '../src/index.ts'
import type { RedisNodeAddress } from '../src/redis-options.ts'
import { rawKeys } from './support/raw-keys.ts'

interface Config {
  readonly url: string
  readonly nodes: readonly RedisNodeAddress[]
  readonly prefix: string
  readonly chunkBytes: number
}

/** Describe the storage with a prefix on a server or Cluster. Chunks are small, so that most contents have several. */
export function redisBackend(
  { url, nodes }: Pick<Config, 'url' | 'nodes'>,
  prefix: string,
  chunkBytes = 65_536,
): Backend<Config> {
  return { module: new URL(import.meta.url), config: { url, nodes, prefix, chunkBytes } }
}

/** Open one more storage. */
export function open({ url, prefix, chunkBytes }: Config, options: ManagedStorageOptions): RedisStorage {
  return new RedisStorage(url, { ...options, prefix, chunkBytes, commandTimeoutMs: 20_000, connectTimeoutMs: 5_000 })
}

/** Find keys that belong to no entry. */
export async function residue({ nodes, prefix }: Config, entries: readonly StoredInfo[]): Promise<readonly string[]> {
  const client = rawClient(nodes)
  try {
    const keys = await rawKeys(client, `{${prefix}*`)
    const references = new Set(entries.map(({ reference }) => reference))
    const referenceOf = (key: string): string => /\}:(?:entry|piece):([^:]+)/.exec(key)?.[1] ?? ''
    const records = keys.filter((key) => !/^\{.*\}:(?:index|evicted|scopes|entered)$/.test(key))
    const others = records.filter((key) => !references.has(referenceOf(key)))
    const problems = others.length === 0 ? [] : [`left over: ${others.slice(0, 5).join(', ')}`]
    const found = records.filter((key) => key.includes('}:entry:')).length
    return found === entries.length
      ? problems
      : [...problems, `${found} entries, of which ${entries.length} are listed`]
  } finally {
    client.disconnect()
  }
}

/** Connect to the server, or to the Cluster, without Spillway. */
export function rawClient(nodes: readonly RedisNodeAddress[]): RedisClient {
  const [first] = nodes
  return nodes.length === 1 && first !== undefined ? new Redis(first.port, first.host) : new Cluster([...nodes])
}
