import { randomUUID } from 'node:crypto'
import { startRedis } from '@spillway-internal/services'
import { countOperations } from '@spillway-internal/storage-suite'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisStorage } from '../src/index.ts'
import { removeKeys } from './support/raw-keys.ts'
import { pattern, shared, sharedUrl } from './support/test-server.ts'

/** Round trips of each operation, with the commands that are sent together. */
const TRIPS: Readonly<Record<string, string>> = {
  // A script would copy the content, so the entry and its index record are sent as two commands in one trip.
  store: '1 ZADD+SETNX',
  'store again': '1 EVALSHA, 1 ZADD+SETNX',
  retrieve: '1 ZSCORE+GET',
  range: '1 ZSCORE+GETRANGE',
  stat: '1 ZSCORE+GETRANGE',
  // The second trip finds out whether the entry was evicted.
  missing: '1 EVALSHA, 1 ZSCORE+GET',
  'end of a turn': '',
  delete: '1 EVALSHA',
}

/** Records the names of commands. Commands that are sent in one system call are one trip. */
class NotingRedis extends Redis {
  readonly trips: string[] = []
  #names: string[] = []

  override sendCommand(...input: Parameters<Redis['sendCommand']>): ReturnType<Redis['sendCommand']> {
    if (this.#names.push(input[0].name.toUpperCase()) === 1)
      queueMicrotask(() => this.trips.push(this.#names.splice(0).join('+')))
    return super.sendCommand(...input)
  }
}

function notingStorage(): { readonly storage: RedisStorage; readonly client: NotingRedis } {
  const prefix = `trips-${randomUUID()}`
  const client = new NotingRedis(sharedUrl())
  onTestFinished(async () => {
    await removeKeys(client, `{${prefix}*`)
    client.disconnect()
  })
  return { storage: new RedisStorage(client, { prefix, ttlMs: 3_600_000 }), client }
}

describe.skipIf(!shared.available)('RedisStorage', () => {
  it('makes no more trips than each guarantee requires', async () => {
    const { storage, client } = notingStorage()
    const scope = storage.scope('tenant', 'session')
    // The first use of a scope adds it to the list, and the first use of a script sends the script.
    const first = await scope.store('prepared', pattern(100_000))
    await scope.store('prepared', pattern(100_000))
    await Promise.allSettled([scope.retrieve('nothing')])
    await scope.delete(first)
    expect(await countOperations(scope, client.trips)).toEqual(TRIPS)
  })

  it('reads no keys of other scopes for gc of a scope, and no more keys for more entries', async () => {
    const { storage, client } = notingStorage()
    const scope = storage.scope('tenant', 'session')
    await scope.store('key', pattern(10))
    await scope.gc()
    client.trips.length = 0
    const gc = async (): Promise<readonly string[]> => {
      expect(await scope.gc()).toEqual({ expired: 0, leftovers: 0, bytes: 0 })
      return client.trips.splice(0)
    }
    const before = await gc()
    expect(before.join('+')).not.toMatch(/SCAN/)
    for (let index = 0; index < 300; index += 1) {
      await scope.store(`key_${index}`, pattern(10, index))
      await storage.scope('tenant', `other_${index}`).store('key', pattern(10))
    }
    client.trips.length = 0
    expect(await gc()).toEqual(before)
  })

  it('restores the index of a scope when gc of this scope runs, if the server may have evicted the index', async () => {
    const server = await startRedis({ maxmemory: '64mb', maxmemoryPolicy: 'allkeys-lru' })
    const storage = new RedisStorage(server.url)
    const raw = new Redis(server.url)
    onTestFinished(async () => {
      raw.disconnect()
      await storage.close()
      await server.dispose()
    })
    const scope = storage.scope('tenant', 'session')
    const reference = await scope.store('key', pattern(10))
    await raw.del('{spillway:tenant/session}:index')
    await scope.gc()
    expect((await Array.fromAsync(scope.list())).map((info) => info.reference)).toEqual([reference])
  })
})
