import {
  assertKnownOptions,
  assertWhole,
  parseJournalEvents,
  type EventJournal,
  type JournalEvent,
} from '@spillway/core/driver'
import { Connection, sourceOf } from './connection.ts'
import type { Session } from './session.ts'
import type { SqliteDatabase } from './sqlite-error.ts'

const DEFAULT_MAX_EVENTS = 100_000
const BUSY_TIMEOUT_MS = 5_000
const PAGE = 500

/**
 * Keep a journal in a table of an SQLite database, for example the database of a `SqliteStorage`.
 *
 * Several processes can append to the journal. The journal keeps the latest `maxEvents` events. The default of 100,000
 * needs about 20 MB. Appending rejects if the database cannot be written.
 *
 * @throws TypeError if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader, summarizeJournal } from '@spillway/core'
 * import { SqliteJournal, SqliteStorage } from '@spillway/sqlite'
 * import { mkdtemp } from 'node:fs/promises'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 *
 * const path = join(await mkdtemp(join(tmpdir(), 'spill-')), 'spill.db')
 * const journal = new SqliteJournal(path)
 * const offloader = new ContextOffloader({ storage: new SqliteStorage(path), journal })
 * const text = 'a line of a log\n'.repeat(5_000)
 * await offloader.offload({ toolName: 'read_log', toolCallId: 'call_1', content: [{ type: 'text', text }] })
 * await journal.close()
 * console.assert((await summarizeJournal(journal)).total.offloaded === 1)
 * ```
 */
export class SqliteJournal implements EventJournal {
  readonly #connection: Connection
  readonly #maxEvents: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(source: string | SqliteDatabase, options: { readonly maxEvents?: number | undefined } = {}) {
    assertKnownOptions(options, ['maxEvents'], 'SqliteJournal')
    const { maxEvents = DEFAULT_MAX_EVENTS } = options
    assertWhole('maxEvents', maxEvents, 1)
    this.#connection = new Connection({ source: sourceOf(source), busyTimeoutMs: BUSY_TIMEOUT_MS, fsync: false })
    this.#maxEvents = maxEvents
  }

  async append(event: JournalEvent): Promise<void> {
    const appended = this.#connection.write((session) => this.#insert(session, event))
    this.#last = Promise.allSettled([this.#last, appended])
    await appended
  }

  #insert(session: Session, event: JournalEvent): void {
    if (!hasTable(session))
      session.run('CREATE TABLE spillway_event (number INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL) STRICT')
    session.run('INSERT INTO spillway_event (event) VALUES (?)', JSON.stringify(event))
    const oldest = '(SELECT max(number) FROM spillway_event) - ?'
    session.run(`DELETE FROM spillway_event WHERE number <= ${oldest}`, this.#maxEvents)
  }

  async *read(since?: number): AsyncGenerator<JournalEvent> {
    await this.#last
    for (let after = 0; ;) {
      const rows = (await this.#connection.read((session) => pageAfter(session, after))) ?? []
      yield* parseJournalEvents(
        rows.map(({ event }) => event),
        since,
      )
      const last = rows.at(-1)
      if (last === undefined) return
      after = last.number
    }
  }

  async close(): Promise<void> {
    await this.#last
    this.#connection.close()
  }
}

const hasTable = (session: Session): boolean =>
  session.get(`SELECT 1 FROM sqlite_schema WHERE name = 'spillway_event'`) !== undefined

function pageAfter(session: Session, after: number): readonly { readonly number: number; readonly event: string }[] {
  if (!hasTable(session)) return []
  const sql = `SELECT number, event FROM spillway_event WHERE number > ? ORDER BY number LIMIT ${PAGE}`
  return session.all(sql, after) as ReturnType<typeof pageAfter>
}
