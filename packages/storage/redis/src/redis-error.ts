import { StorageError } from '@spillway/core/driver'

/** What a message needs to know of a connection. */
export interface Server {
  /** Where the server is, without credentials, such as `localhost:6379`. */
  readonly address: string
  /** The latest failure to connect, where it is known. */
  readonly connectionError?: Error | undefined
  readonly commandTimeoutMs: number
}

/** The command was not answered in time. It may still be executed. */
export class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout'
}

/** What Redis says, and how a person mends it. `SERVER` stands for its address, `MESSAGE` for what it says. */
const REPLIES: readonly (readonly [RegExp, string])[] = [
  [
    /^NOAUTH|HELLO must be called with the client already authenticated/,
    'SERVER needs a password. Set it in the url (redis://user:password@host), or in the option "connection".',
  ],
  [
    /^WRONGPASS|invalid password|invalid username/i,
    'SERVER refuses the user or the password. Check both in the url (redis://user:password@host), or in the option "connection".',
  ],
  [
    /NOPERM/,
    'The user at SERVER lacks a permission: MESSAGE. Give it the ACL rules that the README of @spillway/redis lists.',
  ],
  [/READONLY/, 'SERVER is a replica and cannot be written. Use the address of the master.'],
  [
    /(?:^|-)OOM/,
    'SERVER has used up its maxmemory. Raise maxmemory, remove content (clear, gc, a smaller maxBytes), or set a maxmemory-policy that evicts, such as allkeys-lru.',
  ],
  [/MISCONF/, 'SERVER cannot save to its disk and takes no writes. Free disk space there, or see its log.'],
  [/^LOADING/, 'SERVER is still loading its data. Try again in a moment.'],
  [
    /^MASTERDOWN|^NOREPLICAS/,
    'SERVER has lost contact with its master or replicas. Try again; if it persists, check them.',
  ],
  [
    /TRYAGAIN|cluster redirections.*(?:ASK|MOVED) /i,
    'SERVER is moving this scope between its nodes. Try again in a moment; if it persists, check its nodes.',
  ],
  [
    /CLUSTERDOWN|cluster redirections|refresh slots cache|startup nodes/i,
    'SERVER has no node for this key just now. Try again after its failover; if it persists, check its nodes.',
  ],
  [
    /^MOVED|^ASK /,
    'SERVER is a node of a Cluster. Use a url such as redis+cluster://host:port,host:port, the option "cluster", or a Cluster client.',
  ],
  [/^BUSY/, 'SERVER is busy with a script of somebody else. Try again.'],
  [
    /max number of clients/,
    'SERVER has no room for another client. Raise its maxclients, or share one storage in this process.',
  ],
  [/subscriber mode/, 'The client is in subscriber mode. Give the storage a client of its own.'],
  [/unknown command|unknown subcommand/i, 'SERVER does not know a command that is needed. Use Redis 6.2 or later.'],
  [/cluster support disabled/i, 'SERVER is no Cluster. Use a url such as redis://host:port.'],
  [
    /db index is out of range|SELECT is not allowed/i,
    'SERVER does not have that database. Change the number at the end of the url.',
  ],
]

/** How the way to the server failed, by code or message. */
const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|ENOENT/, 'nothing listens there. Start Redis, or correct host and port in the url'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host is not known. Correct it in the url'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|altname/i,
    'its certificate is not trusted. Set "tls" in the option "connection"',
  ],
  [
    /ERR_SSL|EPROTO|wrong version number/i,
    'it does not speak TLS there. Use redis:// in place of rediss://, or its TLS port',
  ],
  [
    /Connection is closed|max retries per request/,
    'the connection is lost. Try again; if it persists, check the server, host and port in the url, and with TLS its certificate',
  ],
  [/Protocol error|Please report this/i, 'what answers is not Redis. Correct the port in the url'],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE|ECONNABORTED/,
    'the network fails. Check host, port and firewall; a port that needs TLS wants rediss://',
  ],
]

/** Explain what ioredis threw as a `StorageError` that names the fix and holds neither credentials nor content. */
export function explainRedisError(thrown: unknown, server: Server): unknown {
  if (StorageError.isInstance(thrown) || !(thrown instanceof Error)) return thrown
  const error = rootOf(thrown)
  // What a connection failed of says more than that there is none.
  const root = isAboutConnection(error) && server.connectionError !== undefined ? rootOf(server.connectionError) : error
  const { message } = root
  if (/WRONGTYPE/.test(message))
    return new StorageError(
      'corrupt',
      `A key of the storage at ${server.address} holds something else than it stored. Give the storage a "prefix" of its own, or delete that key.`,
      { cause: plainCause(root) },
    )
  const known = REPLIES.find(([pattern]) => pattern.test(message))?.[1]
  if (known !== undefined)
    return unavailable(
      known.replace('SERVER', () => server.address).replace('MESSAGE', () => message),
      root,
    )
  const failure = FAILURES.find(([pattern]) => pattern.test(`${codeOf(root)} ${message}`))?.[1]
  if (failure !== undefined) return unavailable(`Redis at ${server.address} cannot be reached: ${failure}.`, root)
  if (root instanceof CommandTimeout)
    return unavailable(
      `Redis at ${server.address} has not answered within ${server.commandTimeoutMs} ms ("commandTimeoutMs"). Try again; what was to be stored may be there already, and storing it again does no harm.`,
      root,
    )
  return unavailable(`Redis at ${server.address} failed: ${message} Try again; if it persists, check the server.`, root)
}

/** A Cluster says that it failed, and has the last failure of a node beside. */
function rootOf(error: Error): Error {
  const { lastNodeError } = error as { lastNodeError?: unknown }
  return lastNodeError instanceof Error ? lastNodeError : error
}

/** Whether an error only says that there is no connection, and not why. */
const isAboutConnection = (error: Error): boolean =>
  error instanceof CommandTimeout ||
  /max retries per request|Connection is closed|Stream isn't writeable|slots cache|startup nodes/.test(error.message)

const codeOf = (error: Error): string => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

const unavailable = (message: string, error: Error | undefined): StorageError =>
  new StorageError('unavailable', message, { cause: error && plainCause(error) })

/** An error of ioredis has its command, with passwords and content: those must not reach a log. */
function plainCause(error: Error): Error {
  const plain = new Error(error.message)
  plain.name = error.name
  const code = codeOf(error)
  return code === '' ? plain : Object.assign(plain, { code })
}
