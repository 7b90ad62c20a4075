import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRedis, sparePort, startRedis } from '@spillway-internal/services'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { RedisStorage, type RedisStorageOptions } from '../src/index.ts'
import { pattern, same } from './support/test-server.ts'

const found = await findRedis()
/** Whether the server supports TLS: it then rejects an invalid value of a TLS setting. */
const knowsTls = (): boolean =>
  /yes.*no/.test(spawnSync('redis-server', ['--tls-session-caching', 'maybe'], { encoding: 'utf8' }).stderr)
// Servers in containers do not see the certificates, and some servers are built without TLS.
const canUseTls =
  found.available && found.from === 'installed' && spawnSync('openssl', ['version']).status === 0 && knowsTls()

describe.skipIf(!canUseTls)('Redis over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-tls-'))
  const ca = join(folder, 'ca.crt')
  let server: Awaited<ReturnType<typeof startRedis>>
  let port = 0

  beforeAll(async () => {
    const key = join(folder, 'redis.key')
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...names]
    execFileSync('openssl', [...request, '-keyout', key, '-out', ca], { stdio: 'ignore' })
    port = await sparePort()
    server = await startRedis({
      requirepass: 'hunter2',
      settings: {
        'tls-port': String(port),
        'tls-cert-file': ca,
        'tls-key-file': key,
        'tls-ca-cert-file': ca,
        'tls-auth-clients': 'no',
      },
    })
  })
  afterAll(async () => {
    await server?.dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  function opened(options: RedisStorageOptions): RedisStorage {
    const url = `rediss://:hunter2@localhost:${port}`
    const storage = new RedisStorage(url, { commandTimeoutMs: 5_000, connectTimeoutMs: 2_000, ...options })
    onTestFinished(() => storage.close())
    return storage
  }

  test('stores and reads content of any size, whole and in parts', async () => {
    const scope = opened({ connection: { tls: { ca: readFileSync(ca) } } }).scope('tenant')
    for (const size of [0, 10, 16_384, 200_000, 3_000_000]) {
      const reference = await scope.store(`call_${size}`, pattern(size))
      expect(same((await scope.retrieve(reference)).content, pattern(size))).toBe(true)
    }
    const reference = await scope.store('call_range', pattern(2_500_000))
    const { content } = await scope.retrieveRange(reference, { offset: 1_000_000, length: 100_000 })
    expect(same(content, pattern(2_500_000).subarray(1_000_000, 1_100_000))).toBe(true)
  })

  test('refuses an unknown certificate authority, and names the option for it', async () => {
    const refused = {
      code: 'unavailable',
      message: expect.stringMatching(/certificate is not trusted\. Set "tls"/) as string,
    }
    await expect(opened({}).store('key', pattern(10))).rejects.toMatchObject(refused)
  })

  test('checks certificates of a Cluster for the host names in the URL, not for their addresses', async () => {
    const names = new Set<string>()
    const checkServerIdentity = (name: string): undefined => void names.add(name)
    const storage = new RedisStorage(`rediss+cluster://:hunter2@localhost:${port}`, {
      connection: { tls: { ca: readFileSync(ca), checkServerIdentity } },
      commandTimeoutMs: 2_000,
    })
    onTestFinished(() => storage.close())
    await expect(storage.store('key', pattern(10))).rejects.toThrow('Cluster mode is off')
    expect([...names]).toEqual(['localhost'])
  })
})
