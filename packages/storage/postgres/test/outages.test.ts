import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import {
  faultProxy,
  findPostgres,
  sharedPgBouncer,
  sharedPostgres,
  smallDisk,
  startPostgres,
} from '@spillway-internal/services'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PostgresStorage, type PostgresPool, type PostgresStorageOptions } from '../src/index.ts'
import { ask, countRows, dropSchema, newSchema } from './soak-backend.ts'

const [postgres, pgbouncer, found] = await Promise.all([sharedPostgres(), sharedPgBouncer(), findPostgres()])
const url = postgres.available ? postgres.url : 'postgres://localhost:1/postgres'
const hello = new TextEncoder().encode('hello')
const large = new Uint8Array(3_000_000).fill(7)
/** Compare the bytes directly, because an assertion takes seconds. */
const isLarge = ({ content }: { readonly content: Uint8Array }): boolean => Buffer.from(content).equals(large)
const schema = newSchema('outages')
const AN_HOUR_MS = 3_600_000

function open(target: string | PostgresPool, options: PostgresStorageOptions = {}): PostgresStorage {
  const storage = new PostgresStorage(target, { schema: schemaOfTest(), ...options })
  onTestFinished(() => storage.close())
  return storage
}

let schemas = 0
function schemaOfTest(): string {
  const name = `${schema}-${(schemas += 1)}`
  onTestFinished(() => dropSchema(url, name))
  return name
}

/** The URL with a setting for each of its connections. */
const withSetting = (setting: string, target = url): string =>
  `${target}?options=${encodeURIComponent(`-c ${setting}`)}`

const unavailable = (message: string | RegExp, retryable = true): object => ({
  code: 'unavailable',
  retryable,
  message: expect.stringMatching(message) as unknown,
})

async function connected(target: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: target })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

it('an outage is reported if a server ends with its first answer', async () => {
  const message = (type: string, body: string): Buffer => {
    const head = Buffer.from(`${type}\0\0\0\0`)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, Buffer.from(body)])
  }
  const ready = [message('R', '\0\0\0\0'), message('Z', 'I')]
  const end = message('E', 'SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0')
  const server = createServer((socket) => socket.once('data', () => socket.end(Buffer.concat([...ready, end]))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const storage = new PostgresStorage(`postgres://user@127.0.0.1:${port}/db`)
  onTestFinished(() => storage.close())
  await expect(storage.store('key', hello)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
})

describe.skipIf(!postgres.available)('a connection', () => {
  it('causes neither loss nor leftovers if it is cut during a statement', async () => {
    const { hostname, port } = new URL(url)
    const proxy = await faultProxy({ host: hostname, port: Number(port) })
    onTestFinished(() => proxy.close())
    const name = schemaOfTest()
    let now = Date.now()
    const storage = open(Object.assign(new URL(url), { port: String(proxy.port) }).href, {
      schema: name,
      now: () => now,
    })
    const reference = await storage.store('key', large)
    for (const bytes of [10, 5_000, 200_000, 1_500_000, 2_900_000]) {
      proxy.cutAfter(bytes)
      await expect(storage.store(`cut after ${bytes}`, large)).rejects.toMatchObject(unavailable('is lost'))
      proxy.cutAfter(bytes)
      await expect(storage.retrieve(reference)).rejects.toMatchObject(unavailable('is lost'))
      proxy.cutAfter(Infinity)
      expect(isLarge(await storage.retrieve(reference))).toBe(true)
    }
    now += AN_HOUR_MS
    await storage.gc()
    expect(await countRows(url, name)).toMatchObject({ entry: 1, pending: 0, orphans: 0 })
  })

  it('times out within timeoutMs if the server does not answer', async () => {
    const { hostname, port } = new URL(url)
    const proxy = await faultProxy({ host: hostname, port: Number(port) })
    onTestFinished(() => proxy.close())
    const name = schemaOfTest()
    const address = Object.assign(new URL(url), { port: String(proxy.port) }).href
    const patient = open(address, { schema: name })
    const reference = await patient.store('key', hello)
    const storage = open(address, { schema: name, timeoutMs: 300 })
    proxy.stall()
    await expect(storage.retrieve(reference)).rejects.toMatchObject(unavailable('"timeoutMs"'))
    await expect(storage.retrieve(reference)).rejects.toMatchObject(unavailable('"timeoutMs"'))
    await proxy.restore()
    expect((await patient.retrieve(reference)).content).toEqual(hello)
  })

  it('causes an outage while the pool has no other connection', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    onTestFinished(() => pool.end())
    const name = schemaOfTest()
    const patient = open(pool, { schema: name })
    const reference = await patient.store('key', hello)
    const storage = open(pool, { schema: name, timeoutMs: 200 })
    const client = await pool.connect()
    await expect(storage.retrieve(reference)).rejects.toMatchObject(unavailable('became free within 200 ms'))
    client.release()
    expect((await patient.retrieve(reference)).content).toEqual(hello)
    expect([pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0])
    await storage.close()
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })

  it("waits for a lock until the server's statement_timeout or timeoutMs", async () => {
    const name = schemaOfTest()
    const reference = await open(url, { schema: name }).store('key', hello)
    const client = await connected(url)
    await client.query(`BEGIN; LOCK TABLE "${name}".entry IN ACCESS EXCLUSIVE MODE`)
    const canceled = open(withSetting('statement_timeout=100'), { schema: name })
    await expect(canceled.retrieve(reference)).rejects.toMatchObject(unavailable('statement_timeout'))
    const hurried = open(url, { schema: name, timeoutMs: 100 })
    await expect(hurried.retrieve(reference)).rejects.toMatchObject(unavailable('has not answered within 100 ms'))
    await client.query('ROLLBACK')
    expect((await canceled.retrieve(reference)).content).toEqual(hello)
  })
})

describe.skipIf(!postgres.available)('conflicts', () => {
  it('of serializable transactions are repeated until they succeed', async () => {
    const storage = open(withSetting('default_transaction_isolation=serializable'))
    const stored = Array.from({ length: 8 }, (_, index) => storage.store(`key ${index % 2}`, large))
    expect(new Set(await Promise.all(stored)).size).toBe(2)
    const deleted = await Promise.all([storage.clear(), storage.clear(), storage.clear()])
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(2)
  })

  it.each(['read committed', 'serializable'])(
    'of processes that evict the same entries lead to one eviction of each, %s',
    async (isolation) => {
      const schema = schemaOfTest()
      const target = withSetting(`default_transaction_isolation=${isolation.replace(' ', String.raw`\ `)}`)
      let now = 0
      const storages = Array.from({ length: 4 }, () => open(target, { schema, ttlMs: 1_000, now: () => now }))
      for (let index = 0; index < 600; index += 20)
        await Promise.all(
          Array.from({ length: 20 }, (_, more) => storages[more % 4]!.store(`key ${index + more}`, hello)),
        )
      now = 1_000
      const reports = await Promise.all(storages.map((storage) => storage.gc()))
      expect(reports.reduce((sum, { expired }) => sum + expired, 0)).toBe(600)
      expect(await ask(url, `SELECT count(*)::int AS count FROM "${schema}".tombstone`)).toEqual([{ count: 600 }])
    },
  )

  it('are reported as an outage if they persist', async () => {
    const name = schemaOfTest()
    const storage = open(url, { schema: name })
    await storage.gc()
    const fails = `CREATE FUNCTION "${name}".fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'in the way' USING ERRCODE = '40P01'; END $$;
      CREATE TRIGGER fails BEFORE INSERT ON "${name}".entry FOR EACH ROW EXECUTE FUNCTION "${name}".fails()`
    await ask(url, fails)
    await expect(storage.store('key', hello)).rejects.toMatchObject(unavailable('caused several conflicts'))
  })
})

describe.skipIf(!found.available)('a server', () => {
  it('keeps its entries if it restarts or becomes read-only', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.dispose())
    let now = Date.now()
    const storage = new PostgresStorage(server.url, { now: () => now })
    onTestFinished(() => storage.close())
    const reference = await storage.store('key', hello)
    await server.stop()
    await expect(storage.retrieve(reference)).rejects.toMatchObject(unavailable('nothing listens|is lost'))
    await server.start()
    expect((await storage.retrieve(reference)).content).toEqual(hello)

    await server.stop()
    await writeFile(join(server.data, 'standby.signal'), '')
    await server.start()
    // The last use cannot be renewed on a read-only server.
    now += AN_HOUR_MS
    expect((await storage.retrieve(reference)).content).toEqual(hello)
    expect((await new PostgresStorage(server.url).retrieve(reference)).content).toEqual(hello)
    await expect(storage.store('other', hello)).rejects.toMatchObject(unavailable('is read-only'))
    await expect(storage.delete(reference)).rejects.toMatchObject(unavailable('is read-only'))
  })

  it('keeps its entries on a full disk, and accepts more after space is freed', async ({ skip }) => {
    const disk = await smallDisk(11_000_000)
    skip(!disk.available, disk.available ? '' : disk.why)
    if (!disk.available) return
    onTestFinished(() => disk.dispose())
    const folder = join(disk.path, 'tables')
    await mkdir(folder)
    const ballast = join(disk.path, 'ballast')
    await writeFile(ballast, new Uint8Array(5_000_000))
    await chmod(dirname(disk.path), 0o711)
    const server = await startPostgres()
    onTestFinished(() => server.dispose())
    await chown(folder, 65_534, 65_534)
    await ask(server.url, `CREATE TABLESPACE small LOCATION '${folder}'`)
    const storage = new PostgresStorage(withSetting('default_tablespace=small', server.url))
    onTestFinished(() => storage.close())
    const reference = await storage.store('first', large)
    const full = unavailable('disk of .* is full', false)
    await expect(storage.store('second', large)).rejects.toMatchObject(full)
    expect(isLarge(await storage.retrieve(reference))).toBe(true)
    await expect(storage.store('third', large)).rejects.toMatchObject(full)
    await rm(ballast)
    expect(isLarge(await storage.retrieve(await storage.store('third', large)))).toBe(true)
  })

  it('names the reason without the password if it refuses a password, a database or a connection', async () => {
    const server = await startPostgres({ settings: { max_connections: '5', superuser_reserved_connections: '3' } })
    onTestFinished(() => server.dispose())
    const admin = await connected(server.url)
    await admin.query('CREATE ROLE someone LOGIN')
    await admin.end()
    const someone = Object.assign(new URL(server.url), { username: 'someone', password: 'hunter2' }).href
    const clients = await Promise.all([connected(someone), connected(someone)])
    const crowded = new PostgresStorage(someone)
    onTestFinished(() => crowded.close())
    await expect(crowded.store('key', hello)).rejects.toMatchObject(unavailable('no connection left'))
    await Promise.all(clients.map((client) => client.end()))
    const nowhere = new PostgresStorage(Object.assign(new URL(server.url), { pathname: '/nowhere' }).href)
    onTestFinished(() => nowhere.close())
    await expect(nowhere.store('key', hello)).rejects.toMatchObject(unavailable('does not exist'))
    await writeFile(join(server.data, 'pg_hba.conf'), 'host all all all scram-sha-256\n')
    await server.stop()
    await server.start()
    const refused: unknown = await crowded.store('key', hello).catch((error: unknown) => error)
    expect(refused).toMatchObject(unavailable('refuses the user or the password'))
    expect(JSON.stringify(refused) + String(refused)).not.toContain('hunter2')
  })
})

it.skipIf(!pgbouncer.available)('an error names the reason for which PgBouncer refuses a connection', async () => {
  const pooled = pgbouncer.available ? pgbouncer.url : url
  const nowhere = new PostgresStorage(Object.assign(new URL(pooled), { pathname: '/nowhere' }).href)
  onTestFinished(() => nowhere.close())
  const reason = /refuses the connection: .*"nowhere" does not exist/
  await expect(nowhere.store('key', hello)).rejects.toMatchObject(unavailable(reason))
})
