import { sharedPostgres } from '@spillway-internal/services'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PostgresStorage, type PostgresStorageOptions } from '../src/index.ts'
import { ask, dropSchema, newSchema } from './soak-backend.ts'

const postgres = await sharedPostgres()
const url = postgres.available ? postgres.url : 'postgres://localhost:1/postgres'

describe('options', () => {
  it.each([
    [{ schema: '' }, 'schema must be'],
    [{ schema: 'a"b' }, 'schema must be'],
    [{ schema: 'x'.repeat(64) }, 'schema must be'],
    [{ createTables: 'no' }, 'createTables must be true or false'],
    [{ chunkBytes: 100 }, 'chunkBytes must be a whole number from 4,096 to 1,048,576'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a positive number'],
    [{ color: 'blue' }, 'Unknown option "color"'],
  ])('are refused: %j', (options, message) => {
    expect(() => new PostgresStorage(url, options as PostgresStorageOptions)).toThrow(message)
  })

  it.each([
    'localhost/app',
    'mysql://localhost/app',
    'postgres://user:pass/hunter2@host/db',
    'postgres://u:p?hunter2@h/d',
  ])('are refused without repeating a URL: %s', (target) => {
    expect(() => new PostgresStorage(target)).toThrow(/^A URL of PostgreSQL is written/)
    expect(() => new PostgresStorage(target)).not.toThrow('hunter2')
  })

  it('may be a pool, but not a client', () => {
    expect(() => new PostgresStorage(new pg.Client() as never)).toThrow('a Pool of pg')
    expect(new PostgresStorage(new pg.Pool({ connectionString: url }))).toBeInstanceOf(PostgresStorage)
  })
})

describe.skipIf(!postgres.available)('a storage', () => {
  function open(options: PostgresStorageOptions = {}): { readonly storage: PostgresStorage; readonly schema: string } {
    const schema = newSchema('storage')
    const storage = new PostgresStorage(url, { schema, ...options })
    onTestFinished(async () => {
      await storage.close()
      await dropSchema(url, schema)
    })
    return { storage, schema }
  }

  it('keeps content in rows of chunkBytes, and content of one row in the row of its entry', async () => {
    const { storage, schema } = open({ chunkBytes: 65_536 })
    const sizes = [0, 1, 65_536, 65_537, 200_000]
    for (const size of sizes) await storage.store(`key ${size}`, new Uint8Array(size).fill(1))
    const rows = `SELECT size::int, octet_length(e.bytes) AS inline, array_agg(octet_length(c.bytes) ORDER BY number) AS chunks FROM "${schema}".entry AS e LEFT JOIN "${schema}".chunk AS c USING (content) GROUP BY size, inline ORDER BY size`
    expect(await ask(url, rows)).toEqual([
      { size: 0, inline: 0, chunks: [null] },
      { size: 1, inline: 1, chunks: [null] },
      { size: 65_536, inline: 65_536, chunks: [null] },
      { size: 65_537, inline: null, chunks: [65_536, 1] },
      { size: 200_000, inline: null, chunks: [65_536, 65_536, 65_536, 3_392] },
    ])
  })

  it('reads entries of another chunkBytes', async () => {
    const { storage, schema } = open({ chunkBytes: 4_096 })
    const content = Uint8Array.from({ length: 50_000 }, (_, index) => index % 251)
    const reference = await storage.store('key', content)
    const other = new PostgresStorage(url, { schema, chunkBytes: 8_192 })
    onTestFinished(() => other.close())
    const range = await other.retrieveRange(reference, { offset: 4_000, length: 9_000 })
    expect(range.content).toEqual(content.slice(4_000, 13_000))
    expect(await other.store('key', content)).toBe(reference)
  })

  it('does not depend on types that the application sets for pg', async () => {
    const before = pg.types.getTypeParser(pg.types.builtins.INT8)
    pg.types.setTypeParser(pg.types.builtins.INT8, BigInt)
    onTestFinished(() => pg.types.setTypeParser(pg.types.builtins.INT8, before))
    const { storage } = open()
    const reference = await storage.store('key', new Uint8Array(7))
    expect((await storage.stat(reference)).size).toBe(7)
  })

  it('locates entries without user and password', async () => {
    const { storage, schema } = open()
    const { hostname: host, port, username: user } = new URL(url)
    const reference = await storage.store('key', new Uint8Array(1))
    const targets = [
      Object.assign(new URL(url), { password: 'hunter2' }).href,
      new pg.Pool({ host, port: Number(port), database: 'postgres', user, password: 'hunter2' }),
    ]
    for (const target of targets) {
      const other = new PostgresStorage(target, { schema })
      await other.stat(reference)
      const location = JSON.stringify(other.locate?.(reference))
      expect(location).toContain(`postgres://${host}:${port}/postgres`)
      expect(location).not.toMatch(/spillway@|hunter2/)
      await other.close()
      if (typeof target !== 'string') await target.end()
    }
  })

  it('refuses all operations after it was closed', async () => {
    const { storage } = open()
    await storage.close()
    await expect(storage.store('key', new Uint8Array(1))).rejects.toMatchObject({
      code: 'unavailable',
      retryable: false,
    })
  })
})
