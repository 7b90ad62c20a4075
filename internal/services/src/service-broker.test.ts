import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askRedis } from './ask-redis.ts'
import { findRedis } from './find-redis.ts'
import type { RedisService } from './service.ts'
import { askBroker, BROKER_VARIABLE, startBroker } from './service-broker.ts'
import { waitUntil } from './wait-until.ts'

const found = await findRedis()
const source = (name: string): string => JSON.stringify(join(import.meta.dirname, name))
const ASK = `import { sharedRedis } from ${source('index.ts')}; console.log(JSON.stringify(await sharedRedis()))`
const RUN = `
import { startBroker } from ${source('service-broker.ts')}
const { services } = await startBroker()
console.log((await services.get('redis')).url)
setInterval(() => {}, 1_000)
`

const portOf = ({ url }: Pick<RedisService, 'url'>): number => Number(new URL(url).port)
const isServing = async (port: number): Promise<boolean> => {
  try {
    return (await askRedis(port, ['PING'])) === 'PONG'
  } catch (error) {
    // If the broker ended during the request, the connection is reset.
    if (!['ECONNREFUSED', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return false
  }
}

describe.skipIf(!found.available)('a service broker', () => {
  test('starts a service once for all processes that request it, and stops it at the end', async () => {
    const broker = await startBroker()
    onTestFinished(() => broker.stop())
    expect(await broker.services.asked()).toEqual({})
    const env = { ...process.env, [BROKER_VARIABLE]: broker.url, SPILLWAY_TEST_REDIS_URL: undefined }
    const ask = async (): Promise<RedisService> => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', ASK], { env })
      return JSON.parse(stdout) as RedisService
    }
    const [first, second] = await Promise.all([ask(), ask()])
    expect(first).toEqual(second)
    expect(await broker.services.asked()).toEqual({ redis: first })
    expect(await isServing(portOf(first))).toBe(true)
    await broker.stop()
    expect(await isServing(portOf(first))).toBe(false)
    await expect(askBroker(broker.url, 'redis')).rejects.toThrow(TypeError)
  })

  test('ends its services if it is killed', async () => {
    const run = spawn(process.execPath, ['--input-type=module', '--eval', RUN], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [url] = (await once(createInterface({ input: run.stdout }), 'line')) as [string]
    expect(await isServing(portOf({ url }))).toBe(true)
    run.kill('SIGKILL')
    await waitUntil('Redis to be gone', async () => !(await isServing(portOf({ url }))))
  })

  test('answers only processes that know its secret URL', async () => {
    const broker = await startBroker()
    onTestFinished(() => broker.stop())
    expect((await fetch(new URL('/redis', broker.url))).status).toBe(500)
    expect(await broker.services.asked()).toEqual({})
  })
})
