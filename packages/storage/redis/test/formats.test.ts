import { randomUUID } from 'node:crypto'
import { sharedRedis } from '@spillway-internal/services'
import { formatFixture, problemsOfFormat, storeFormatSample } from '@spillway-internal/storage-suite'
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { RedisStorage } from '../src/index.ts'
import { rawKeys, removeKeys } from './support/raw-keys.ts'

const FIXTURE = new URL('formats/format-1.json.gz', import.meta.url)
const redis = await sharedRedis()
/** The fixture has keys of this prefix. */
const PREFIX = 'spillway-format-fixture'

type RawKey = readonly ['string', string] | readonly ['zset' | 'hash', readonly string[]]

async function readKey(client: Redis, key: string): Promise<RawKey> {
  const type = await client.type(key)
  if (type === 'zset') return [type, await client.zrange(key, '0', '-1', 'WITHSCORES')]
  if (type === 'hash') return [type, Object.entries(await client.hgetall(key)).flat()]
  if (type !== 'string') throw new TypeError(`${key} is a ${type}.`)
  return [type, (await client.getBuffer(key))?.toString('base64') ?? '']
}

async function writeKey(client: Redis, key: string, [type, value]: RawKey): Promise<void> {
  if (type === 'string') await client.set(key, Buffer.from(value, 'base64'))
  else if (type === 'hash') await client.hset(key, ...value)
  else for (let at = 0; at < value.length; at += 2) await client.zadd(key, value[at + 1]!, value[at]!)
}

/** Record the data that this version stores. */
async function recorded(client: Redis): Promise<Record<string, RawKey>> {
  await removeKeys(client, `{${PREFIX}*`)
  const storage = new RedisStorage(client, { prefix: PREFIX })
  await storeFormatSample(storage)
  const keys = await rawKeys(client, `{${PREFIX}*`)
  return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await readKey(client, key)] as const)))
}

describe.skipIf(!redis.available)('data of another version', () => {
  it('is read if its format is 1, and refused if it is newer', async () => {
    const client = new Redis(redis.available ? redis.url : '')
    const prefix = `format-${randomUUID()}`
    const keys = await formatFixture(FIXTURE, () => recorded(client))
    for (const [key, value] of Object.entries(keys))
      await writeKey(client, key.replace(PREFIX, prefix), value as RawKey)
    const storage = new RedisStorage(client, { prefix })
    expect(await problemsOfFormat(storage)).toEqual([])

    const reference = await storage.store('call_1_0', new TextEncoder().encode('hello\n'))
    const [key = ''] = (await rawKeys(client, `{${prefix}*`)).filter((name) => name.endsWith(`:}:entry:${reference}`))
    const newer = Buffer.from(
      (await client.getBuffer(key))!.toString('latin1').replace('spillway1 ', 'spillway2 '),
      'latin1',
    )
    await client.set(key, newer)
    await expect(new RedisStorage(client, { prefix }).retrieve(reference)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('Update @spillway/redis') as unknown,
    })
    expect((await client.getBuffer(key))?.equals(newer)).toBe(true)
    await removeKeys(client, `{${prefix}*`)
    await client.quit()
  })
})
