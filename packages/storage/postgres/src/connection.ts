import { errorCode, StorageError } from '@spillway/core/driver'
import pg from 'pg'
import { isCurrent, migrate, notCreatedError, readSchema, withSchema, type Query } from './schema.ts'

/** The methods of a client of `pg` that {@link PostgresStorage} uses. */
export interface PostgresClient {
  query(query: object): Promise<{ readonly rows: unknown[] } | { readonly rows: unknown[] }[]>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(destroy?: boolean): void
}

/** The methods of a `Pool` of `pg` that {@link PostgresStorage} uses. The types of `pg` need not be installed. */
export interface PostgresPool {
  readonly totalCount: number
  readonly options: object
  connect(callback: (error: Error | undefined, client: PostgresClient | undefined) => void): void
  end(): Promise<void>
}

export type Row = Readonly<Record<string, unknown>>

export interface ConnectionOptions {
  readonly target: string | PostgresPool
  readonly schema: string
  readonly createTables: boolean
  readonly rowLevelSecurity: boolean
  readonly timeoutMs: number
}

const MAX_ATTEMPTS = 6
const PAUSE_MS = 10
const POOL_SIZE = 10

/** Sends statements with a timeout. Statements are independent, so each may use another connection. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #pool: PostgresPool
  readonly #place: PostgresPlace
  readonly #statements = new Map<string, string>()
  #tables: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor(options: ConnectionOptions) {
    const { target, timeoutMs } = options
    this.#options = options
    this.#pool = typeof target === 'string' ? ownPool(target, timeoutMs) : target
    this.#place = placeOf(typeof target === 'string' ? { connectionString: target } : target.options)
  }

  get schema(): string {
    return this.#options.schema
  }

  /** URL of the database, without user and password. */
  get address(): string {
    const { host, port, database } = this.#place
    return `postgres://${host}:${port}/${database}`
  }

  /** Sends one statement, in which `@` stands for the schema. Sends it again after a conflict. Returns the rows. */
  async query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#explained(async () => {
      this.#tables ??= this.#prepare()
      try {
        await this.#tables
      } catch (error) {
        this.#tables = undefined
        throw error
      }
      return this.#run((query) => query(sql, values))
    })
  }

  /** Sends several statements in one transaction. */
  async transaction(work: (query: Query) => Promise<void>): Promise<void> {
    await this.query('SELECT 1')
    await this.#explained(() => this.#transaction(work))
  }

  async close(): Promise<void> {
    if (typeof this.#options.target === 'string') await (this.#closed ??= this.#pool.end())
  }

  async #prepare(): Promise<void> {
    const { schema, createTables, rowLevelSecurity } = this.#options
    const state = await this.#run((query) => readSchema(query, schema))
    if (isCurrent(state, rowLevelSecurity)) return
    if (!createTables) throw notCreatedError(state, schema, rowLevelSecurity)
    await this.#transaction((query) => migrate(query, schema, rowLevelSecurity))
  }

  async #transaction(work: (query: Query) => Promise<void>): Promise<void> {
    await this.#run(async (query) => {
      await query('BEGIN')
      await work(query)
      await query('COMMIT')
    })
  }

  async #run<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#runOnce(work)
      } catch (error) {
        if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * 2 ** attempt))
      }
  }

  async #runOnce<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const client = await this.#connect()
    let failed = true
    try {
      const result = await work((sql, values) => this.#send(client, sql, values))
      failed = false
      return result
    } finally {
      client.off('error', ignore)
      // After a failure, a transaction may be open, or another server may be behind the connection.
      client.release(failed)
    }
  }

  async #send(client: PostgresClient, sql: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    let text = this.#statements.get(sql)
    if (text === undefined) this.#statements.set(sql, (text = withSchema(sql, this.schema)))
    // Statements have no names, because PgBouncer may send them over different connections.
    const result = await client.query({ text, values, query_timeout: this.#options.timeoutMs, types: TYPES })
    return (Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows) as Row[]
  }

  /**
   * A client emits an event if it loses its connection between two statements. The event may come before a promise of
   * the client settles, because a server that ends sends the reason with its first answer.
   */
  async #connect(): Promise<PostgresClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresClient>()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new ConnectionTimeout())
    }, this.#options.timeoutMs)
    this.#pool.connect((error, client) => {
      clearTimeout(timer)
      if (client === undefined) return reject(error)
      if (isLate) return client.release()
      client.on('error', ignore)
      resolve(client)
    })
    return await promise
  }

  async #explained<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      if (this.#closed !== undefined)
        throw new StorageError('unavailable', 'The storage was closed. Create a new one.', { retryable: false })
      return await run()
    } catch (error) {
      throw explainPostgresError(error, this.address, this.#options)
    }
  }
}

const ignore = (): void => undefined

function ownPool(connectionString: string, timeoutMs: number): PostgresPool {
  const pool = new pg.Pool({
    connectionString,
    max: POOL_SIZE,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'spillway',
  })
  // The next statement opens another connection, and reports a failure.
  pool.on('error', ignore)
  return pool
}

interface PostgresPlace {
  readonly host: string
  readonly port: string | number
  readonly database: string
}

/** Finds the server in the options of a pool, in the same way as `pg`. */
function placeOf(options: { readonly connectionString?: string } & Partial<PostgresPlace>): PostgresPlace {
  const url = options.connectionString === undefined ? undefined : URL.parse(options.connectionString)
  const environment = process.env
  return {
    host: url?.hostname || options.host || environment['PGHOST'] || 'localhost',
    port: url?.port || options.port || environment['PGPORT'] || 5432,
    database: url?.pathname.slice(1) || options.database || environment['PGDATABASE'] || '',
  }
}

const TYPES_BY_ID: Readonly<Record<number, (value: string) => unknown>> = {
  16: (value) => value === 't',
  20: Number,
  23: Number,
  701: Number,
}

/** Parsers of column types. With these parsers, the application's settings of `pg` have no effect here. */
const TYPES = { getTypeParser: (id: number) => TYPES_BY_ID[id] ?? ((value: string): string => value) }

class ConnectionTimeout extends Error {
  override readonly name = 'ConnectionTimeout'
  constructor() {
    super('No connection of the pool became free in time.')
  }
}

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** Whether a statement failed because of another transaction, so that it may succeed if it is sent again. */
const isConflict = (error: unknown): boolean => [SERIALIZATION_FAILURE, DEADLOCK].includes(errorCode(error))

interface Explanation {
  readonly text: string
  readonly retryable?: false
}

const TABLES = {
  text: 'The tables in the schema {schema} are missing, or not those of @spillway/postgres: restore them from a backup, or choose another schema.',
}
const LOGIN = {
  text: '{server} refuses the user or the password. Correct both in the URL: postgres://user:password@host/database.',
}
const DOWN = { text: '{server} is starting or shutting down. Try again in a moment.' }

/** Explanations by SQLSTATE, or by its class of two characters. Names in braces are replaced. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  '53100': { text: 'The disk of {server} is full. Free some space there.', retryable: false },
  '42501': {
    text: 'The role at {server} lacks a permission: {message}. Have the owner of the tables run GRANT USAGE ON SCHEMA {schema}, and GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema}, each TO this role. To create the tables, it needs GRANT CREATE ON DATABASE. With row-level security, it may use its own scopes only.',
    retryable: false,
  },
  '25006': {
    text: '{server} is read-only, like a replica: content can be read, but not stored or removed. Use the address of the primary.',
  },
  '57014': {
    text: '{server} canceled a statement ({message}). Raise the statement_timeout of the role, or try again.',
  },
  '53300': {
    text: '{server} has no connection left. Raise max_connections, share one pool, or put PgBouncer in front of it.',
  },
  '53': { text: '{server} is short of resources: {message}. Try again later.' },
  '57P': DOWN,
  '28': LOGIN,
  '3D000': { text: 'The database at {server} does not exist. Create it, or correct the URL.' },
  '3F000': TABLES,
  '42P01': TABLES,
  '42703': TABLES,
  '40': { text: 'Other transactions at {server} caused several conflicts. Try again.' },
  // PgBouncer reports all of its errors with this code.
  '08P01': {
    text: '{server} refuses the connection: {message}. Correct the URL or the settings of PgBouncer, or try again.',
  },
  '08': { text: 'The connection to {server} is lost. Try again; if it persists, check the server.' },
}

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|ENOENT/, 'nothing listens there. Start PostgreSQL, or correct host and port in the URL'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host is not known. Correct it in the URL'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|altname/i,
    'its certificate is not trusted. Pass a Pool with ssl: { ca }, or set sslrootcert in the URL',
  ],
  [/does not support SSL/, 'it does not offer TLS. Leave out sslmode in the URL'],
  [
    /Connection terminated|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE|ECONNABORTED|not queryable/,
    'the connection is lost. Try again; if it persists, check the server, the network, host and port in the URL',
  ],
  [
    /password must be a string|SASL|SCRAM/,
    'it needs a password. Set it in the URL: postgres://user:password@host/database',
  ],
]

/** Returns a `StorageError` with the fix, without credentials or content. */
function explainPostgresError(thrown: unknown, address: string, { schema, timeoutMs }: ConnectionOptions): unknown {
  if (StorageError.isInstance(thrown) || !(thrown instanceof Error)) return thrown
  const { message } = thrown
  const code = errorCode(thrown)
  const explanation = EXPLANATIONS[code] ?? EXPLANATIONS[code.slice(0, 3)] ?? EXPLANATIONS[code.slice(0, 2)]
  if (explanation !== undefined) {
    const text = explanation.text
      .replaceAll('{schema}', () => schema)
      .replaceAll('{server}', () => address)
      .replace('{message}', () => message)
    return unavailable(text, thrown, explanation.retryable)
  }
  if (thrown instanceof ConnectionTimeout || /timeout exceeded when trying to connect/.test(message))
    return unavailable(
      `No connection to ${address} became free within ${timeoutMs} ms ("timeoutMs"). Try again; if it persists, check the server, or pass a larger Pool.`,
      thrown,
    )
  if (/Query read timeout/.test(message))
    return unavailable(
      `${address} has not answered within ${timeoutMs} ms ("timeoutMs"). Try again; the content may be stored already, and storing it again does no harm.`,
      thrown,
    )
  const failure = FAILURES.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1]
  if (failure !== undefined) return unavailable(`PostgreSQL at ${address} cannot be reached: ${failure}.`, thrown)
  return unavailable(
    `PostgreSQL at ${address} failed: ${message}. Try again; if it persists, check the server.`,
    thrown,
  )
}

/** Details of `pg` errors repeat content, which must not be logged. These details are omitted. */
function unavailable(text: string, { name, message, ...error }: Error, retryable?: false): StorageError {
  const cause = Object.assign(new Error(message), { name, code: errorCode(error) })
  return new StorageError('unavailable', text, { cause, ...(retryable === false && { retryable }) })
}
