import { existsSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findPgBouncer, findPostgres } from './find-postgres.ts'
import { isReady, startPgBouncer, startPostgres } from './postgres-server.ts'

const [installed, npm, pgbouncer] = await Promise.all([findPostgres('installed'), findPostgres('npm'), findPgBouncer()])

describe.each([
  ['installed', installed],
  ['npm', npm],
] as const)('a PostgreSQL server (%s)', (origin, found) => {
  test.skipIf(!found.available)('starts again on the same port after a kill, and leaves no files', async () => {
    const server = await startPostgres({ origin, settings: { max_connections: '10' } })
    onTestFinished(() => server.dispose())
    expect(server.url).toBe(`postgres://spillway@127.0.0.1:${server.port}/postgres`)
    expect(await isReady(server.port)).toBe(true)
    await server.kill()
    await server.start()
    expect(await isReady(server.port)).toBe(true)
    await server.stop()
    expect(await isReady(server.port)).toBe(false)
    await server.dispose()
    expect(existsSync(server.data)).toBe(false)
  })
})

test.skipIf(!installed.available)('a PostgreSQL server that cannot start gives the reason', async () => {
  await expect(startPostgres({ settings: { no_such_setting: '1' } })).rejects.toThrow('no_such_setting')
})

test.skipIf(!installed.available || !pgbouncer.available)('PgBouncer answers in front of a server', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.dispose())
  const bouncer = await startPgBouncer(server)
  onTestFinished(() => bouncer.dispose())
  expect(await isReady(Number(new URL(bouncer.url).port))).toBe(true)
  expect(bouncer.poolMode).toBe('transaction')
})
