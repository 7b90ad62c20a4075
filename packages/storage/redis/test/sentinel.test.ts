import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRedis, sparePort, startRedis } from '@spillway-internal/services'
import { StorageError } from '@spillway/core/driver'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RedisStorage } from '../src/index.ts'
import { pattern, same } from './support/test-server.ts'

const found = await findRedis()
const isInstalled = found.available && found.from === 'installed'
const MASTER = 'spillway-master'

/** Start a sentinel that considers a master dead after half a second. */
async function startSentinel(masterPort: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-sentinel-'))
  const port = await sparePort()
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${MASTER} 127.0.0.1 ${masterPort} 1`,
    `sentinel down-after-milliseconds ${MASTER} 500`,
    `sentinel failover-timeout ${MASTER} 5000`,
  ]
  writeFileSync(join(folder, 'sentinel.conf'), settings.join('\n'))
  const child = spawn('redis-server', [join(folder, 'sentinel.conf'), '--sentinel'], { stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })
  return port
}

test.skipIf(!isInstalled)(
  'the same instance uses the master that sentinels name, and its successor after a failover',
  async () => {
    // Without this setting, the master would wait five seconds for other replicas before it sends its data.
    const master = await startRedis({ settings: { 'repl-diskless-sync-delay': '0' } })
    onTestFinished(() => master.dispose())
    const replica = await startRedis({ settings: { replicaof: `127.0.0.1 ${master.port}` } })
    onTestFinished(() => replica.dispose())
    const port = await startSentinel(master.port)
    const sentinel = new Redis({ port, host: '127.0.0.1' })
    onTestFinished(() => sentinel.disconnect())
    await vi.waitFor(async () => expect(await sentinel.call('SENTINEL', 'REPLICAS', MASTER)).toHaveLength(1), {
      timeout: 30_000,
      interval: 200,
    })

    const connection = { sentinels: [{ host: '127.0.0.1', port }], name: MASTER }
    const storage = new RedisStorage({ connection, commandTimeoutMs: 2_000, connectTimeoutMs: 1_000 })
    onTestFinished(() => storage.close())
    const scope = storage.scope('tenant')
    const reference = await scope.store('call_1', pattern(50_000))
    const direct = new Redis(master.url)
    expect(await direct.wait(1, 60_000)).toBe(1)
    direct.disconnect()

    await master.kill()
    const codes = new Set<string>()
    await vi.waitFor(
      async () => {
        try {
          await scope.store('call_2', pattern(100))
        } catch (error) {
          codes.add(StorageError.isInstance(error) ? error.code : String(error))
          throw error
        }
      },
      { timeout: 60_000, interval: 200 },
    )
    // A failover may end before the first command times out.
    codes.delete('unavailable')
    expect([...codes]).toEqual([])
    expect(same((await scope.retrieve(reference)).content, pattern(50_000))).toBe(true)
  },
)
