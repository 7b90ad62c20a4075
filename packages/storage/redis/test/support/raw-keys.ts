import type { Redis } from 'ioredis'
import type { RedisClient } from '../../src/index.ts'

/** The nodes of a client that have keys. */
export const masters = (client: RedisClient): readonly Redis[] =>
  'nodes' in client ? client.nodes('master') : [client]

/** List all keys on the server that match a pattern. */
export async function rawKeys(client: RedisClient, pattern: string): Promise<string[]> {
  const keys: string[] = []
  // A Cluster client knows its nodes only after it is connected.
  await client.exists('any')
  for (const node of masters(client))
    for await (const page of node.scanStream({ match: pattern, count: 1_000 })) keys.push(...(page as string[]))
  return [...new Set(keys)]
}

/** Whether a key has data of an entry, and not tombstones or lists of entries and scopes. */
export const isRecord = (key: string): boolean => !/^\{.*\}:(?:index|evicted|scopes|entered)$/.test(key)

/** Remove all keys that match a pattern. */
export async function removeKeys(client: RedisClient, pattern: string): Promise<void> {
  const keys = await rawKeys(client, pattern)
  await Promise.all(keys.map((key) => client.unlink(key)))
}
