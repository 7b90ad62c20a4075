import {
  assertKnownOptions,
  assertWhole,
  parseJournalEvents,
  type EventJournal,
  type JournalEvent,
} from '@spillway/core/driver'
import { Connection, type PostgresPool } from './connection.ts'
import { assertTarget, checkedOptions } from './postgres-options.ts'

const DEFAULT_MAX_EVENTS = 100_000
const PAGE = 500
const NAMES: readonly string[] = ['schema', 'createTables', 'maxEvents'] satisfies (keyof PostgresJournalOptions)[]

/** Inserts events in order. Keeps about the latest $3, and removes at most twice as many as it inserts. */
export const APPEND_EVENTS =
  'WITH added AS (INSERT INTO @event (id, event) SELECT id, event FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS new (id, event, place) ORDER BY place RETURNING number), oldest AS (SELECT number FROM @event ORDER BY number LIMIT (SELECT 2 * count(*) FROM added)) DELETE FROM @event WHERE number = ANY(ARRAY(SELECT number FROM oldest WHERE number <= (SELECT max(number) FROM added) - $3::bigint))'
export const SELECT_EVENTS: string = `SELECT number, event FROM @event WHERE number > $1::bigint ORDER BY number LIMIT ${PAGE}`

/** Options of {@link PostgresJournal}. */
export interface PostgresJournalOptions {
  /** Schema of the tables, for example the schema of a storage. Defaults to `spillway`. */
  readonly schema?: string | undefined
  /** Create and update the tables on first use. With `false`, see `postgresSchema`. Defaults to `true`. */
  readonly createTables?: boolean | undefined
  /** Approximate number of events to keep. Defaults to 100,000, which is about 20 MB. */
  readonly maxEvents?: number | undefined
}

/**
 * Keep a journal in the table `event` of a PostgreSQL database, for example next to a `PostgresStorage`.
 *
 * Any number of processes can append to the journal. Appending rejects with `unavailable` in an outage.
 *
 * @param target - A URL `postgres://user:password@host:port/database`, or a `Pool` of `pg`. The journal does not close
 *   the pool.
 * @throws TypeError if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader, summarizeJournal } from '@spillway/core'
 * import { PostgresJournal, PostgresStorage } from '@spillway/postgres'
 *
 * const url = process.env['SPILLWAY_TEST_POSTGRES_URL']
 * const target = url ?? 'postgres://localhost/app'
 * const [storage, journal] = [new PostgresStorage(target, { schema: 'log' }), new PostgresJournal(target, { schema: 'log' })]
 * if (url !== undefined) {
 *   const offloader = new ContextOffloader({ storage, journal })
 *   const text = 'a line of a log\n'.repeat(5_000)
 *   await offloader.offload({ toolName: 'read_log', toolCallId: 'call_1', content: [{ type: 'text', text }] })
 *   console.assert((await summarizeJournal(journal)).total.offloaded > 0)
 * }
 * await journal.close()
 * await storage.close()
 * ```
 */
export class PostgresJournal implements EventJournal {
  readonly #connection: Connection
  readonly #maxEvents: number
  #pending: JournalEvent[] = []
  #writing: Promise<void> | undefined

  constructor(target: string | PostgresPool, options: PostgresJournalOptions = {}) {
    assertKnownOptions(options, NAMES, 'PostgresJournal')
    const { maxEvents = DEFAULT_MAX_EVENTS, schema, createTables } = options
    assertWhole('maxEvents', maxEvents, 1)
    assertTarget(target, 'PostgresJournal')
    this.#connection = new Connection({ target, ...checkedOptions({ schema, createTables }) })
    this.#maxEvents = maxEvents
  }

  append(event: JournalEvent): Promise<void> {
    this.#pending.push(event)
    return (this.#writing ??= this.#write())
  }

  /** Appends all waiting events by one statement. */
  async #write(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        const events = this.#pending.splice(0, PAGE)
        const values = [events.map(({ scope }) => `${scope}/`), events.map((event) => JSON.stringify(event))]
        await this.#connection.query(APPEND_EVENTS, [...values, this.#maxEvents])
      }
    } finally {
      this.#pending = []
      this.#writing = undefined
    }
  }

  async *read(since?: number): AsyncGenerator<JournalEvent> {
    await Promise.allSettled([this.#writing])
    for (let after: unknown = 0; ;) {
      const rows = await this.#connection.query(SELECT_EVENTS, [after])
      yield* parseJournalEvents(
        rows.map((row) => row['event']),
        since,
      )
      after = rows.at(-1)?.['number']
      if (after === undefined) return
    }
  }

  /** Write pending events. If the journal was created with a URL, close its connections. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#writing])
    await this.#connection.close()
  }
}
