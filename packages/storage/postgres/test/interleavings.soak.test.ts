import { sharedPostgres } from '@spillway-internal/services'
import { propertyRuns } from '@spillway-internal/test-run'
import { StorageError } from '@spillway/core/driver'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PostgresStorage, type PostgresPool } from '../src/index.ts'
import { ask, countRows, dropSchema, newSchema } from './soak-backend.ts'
import { Turns } from './support/turns.ts'

const RUNS = propertyRuns(10, 500)
const postgres = await sharedPostgres()
const url = postgres.available ? postgres.url : 'postgres://localhost:1/postgres'
const schema = newSchema('interleavings')
/** Size of a chunk. Each chunk is sent by its own statement, and the last statement makes the entry visible. */
const CHUNK_BYTES = 1_048_576
const CONTENT = new Uint8Array(2 * CHUNK_BYTES + 1).fill(7)
const CHUNKS = 3
const AN_HOUR_MS = 3_600_000

const ACTIONS = {
  store: async (storage: PostgresStorage) => {
    await storage.store('key', CONTENT)
    return 'stored'
  },
  read: async (storage: PostgresStorage, reference: string) => {
    const { content } = await storage.retrieve(reference)
    return Buffer.from(content).equals(CONTENT) ? 'read' : 'torn'
  },
  remove: async (storage: PostgresStorage, reference: string) => {
    await storage.delete(reference)
    return 'removed'
  },
  evict: async (storage: PostgresStorage, reference: string) => {
    await storage.delete(reference, { unusedSince: Date.now() - AN_HOUR_MS / 2 })
    return 'evicted or kept'
  },
  clear: async (storage: PostgresStorage) => ((await storage.clear()) > 0 ? 'cleared' : 'empty'),
  collect: async (storage: PostgresStorage) => {
    await storage.gc()
    return 'collected'
  },
} as const

type Action = keyof typeof ACTIONS
interface Actor {
  readonly action: Action
  readonly killAfter: number
}

/** An order in which a collection removes the chunks before the writer makes its entry visible. */
const COLLECTED: [boolean, Actor[], number[]] = [
  false,
  [
    { action: 'collect', killAfter: 3 },
    { action: 'store', killAfter: Infinity },
    { action: 'store', killAfter: 1 },
  ],
  [4, 3, 1, 5, 3, 0, 0],
]

/** Failures that a caller may see: the entry was removed, or was collected before it was complete. */
const EXPECTED: ReadonlySet<string> = new Set(['not-found', 'unavailable'])

describe.skipIf(!postgres.available)('overlapping statements on one large entry', () => {
  const pool = new pg.Pool({ connectionString: url })
  /** A storage whose clock is behind, so that an entry that no other storage has stored may be evicted. */
  const plain = new PostgresStorage(pool, { schema, chunkBytes: CHUNK_BYTES, now: () => Date.now() - AN_HOUR_MS })
  let reference = ''

  beforeAll(async () => {
    reference = await plain.store('key', CONTENT)
  })

  afterAll(async () => {
    await pool.end()
    await dropSchema(url, schema)
  })

  async function runTogether(actors: readonly Actor[], order: readonly number[]): Promise<string[]> {
    const turns = new Turns(actors.length, order)
    return await Promise.all(
      actors.map(async ({ action, killAfter }) => {
        const gated: PostgresPool = turns.gate(pool, killAfter)
        // A collection whose clock is one hour ahead treats running writers as killed.
        const now = action === 'collect' ? (): number => Date.now() + AN_HOUR_MS : Date.now
        const storage = new PostgresStorage(gated, { schema, chunkBytes: CHUNK_BYTES, now })
        try {
          return await ACTIONS[action](storage, reference)
        } catch (error) {
          if (StorageError.isInstance(error) && EXPECTED.has(error.code)) return error.code
          throw error
        } finally {
          turns.end()
        }
      }),
    )
  }

  const order = fc.array(fc.nat(5), { minLength: 1, maxLength: 30 })
  const killAfter = fc.oneof({ weight: 2, arbitrary: fc.constant(Infinity) }, fc.nat(8))
  const actor = (...actions: readonly Action[]): fc.Arbitrary<Actor> =>
    fc.record({ action: fc.constantFrom(...actions), killAfter })

  async function check(
    exists: boolean,
    actors: readonly Actor[],
    order: readonly number[],
  ): Promise<{ readonly outcomes: readonly string[]; readonly isThere: boolean }> {
    await ask(url, `TRUNCATE "${schema}".entry, "${schema}".chunk, "${schema}".pending, "${schema}".tombstone`)
    if (exists) await plain.store('key', CONTENT)
    const outcomes = await runTogether(actors, order)
    expect(outcomes).not.toContain('torn')
    const later = new PostgresStorage(pool, { schema, now: () => Date.now() + AN_HOUR_MS })
    await later.gc()
    const rows = await countRows(url, schema)
    expect(rows).toMatchObject({ chunk: rows.entry * CHUNKS, pending: 0, orphans: 0 })
    if (rows.entry > 0) expect(await ACTIONS.read(plain, reference)).toBe('read')
    return { outcomes, isThere: rows.entry > 0 }
  }

  test('keep acknowledged stores through evictions, collections and kills', async () => {
    const actors = fc.array(actor('store', 'store', 'read', 'evict', 'collect'), { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), actors, order, async (exists, together, turns) => {
        const { outcomes, isThere } = await check(exists, together, turns)
        if (outcomes.includes('stored')) expect(isThere).toBe(true)
        if (exists && together.every(({ action }) => action !== 'evict')) expect(isThere).toBe(true)
      }),
      { ...RUNS, examples: [COLLECTED] },
    )
  })

  test('leave the entry complete or removed, through removals and kills', async () => {
    const actors = fc.array(actor('store', 'store', 'read', 'remove', 'clear', 'collect'), {
      minLength: 2,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), actors, order, async (...run) => void (await check(...run))),
      RUNS,
    )
  })
})
