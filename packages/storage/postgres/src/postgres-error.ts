import { StorageError } from '@spillway/core/driver'

/** No connection could be had in time. */
export class ConnectionTimeout extends Error {
  override readonly name = 'ConnectionTimeout'
  constructor() {
    super('No connection of the pool became free in time.')
  }
}

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** Whether another transaction was in the way, so that the same statement may succeed now. */
export const isConflict = (error: unknown): boolean => [SERIALIZATION_FAILURE, DEADLOCK].includes(codeOf(error))

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

/**
 * By SQLSTATE. A class of two characters stands for all others that begin with it. Names in braces are
 * replaced.
 */
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
  '40': { text: 'Other transactions at {server} were in the way several times. Try again.' },
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

interface Server {
  readonly address: string
  readonly schema: string
  readonly timeoutMs: number
}

/** Returns a `StorageError` with the fix, without credentials or content. */
export function explainPostgresError(thrown: unknown, { address, schema, timeoutMs }: Server): unknown {
  if (StorageError.isInstance(thrown) || !(thrown instanceof Error)) return thrown
  const { message } = thrown
  const code = codeOf(thrown)
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
      `${address} has not answered within ${timeoutMs} ms ("timeoutMs"). Try again; what was to be stored may be there already, and storing it again does no harm.`,
      thrown,
    )
  const failure = FAILURES.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1]
  if (failure !== undefined) return unavailable(`PostgreSQL at ${address} cannot be reached: ${failure}.`, thrown)
  return unavailable(
    `PostgreSQL at ${address} failed: ${message}. Try again; if it persists, check the server.`,
    thrown,
  )
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : ''
}

/** Errors of `pg` have details that repeat content, which must not be logged. */
function unavailable(text: string, { name, message, ...error }: Error, retryable?: false): StorageError {
  const cause = Object.assign(new Error(message), { name, code: codeOf(error) })
  return new StorageError('unavailable', text, { cause, ...(retryable === false && { retryable }) })
}
