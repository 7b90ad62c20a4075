import { errorCode, StorageError } from '@spillway/core/driver'
import { Command, type Redis } from 'ioredis'
import { Writable } from 'node:stream'
import type { RedisClient } from './redis-options.ts'
import type { Script } from './scripts.ts'

type CommandArgument = string | Buffer | number

interface ConnectionOptions {
  readonly client: RedisClient
  readonly isOwn: boolean
  readonly address: string
  readonly commandTimeoutMs: number
}

/** Sends commands with a timeout and explains failures. Replies are buffers. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #client: RedisClient
  readonly #gate: ClientGate
  #connectionError: Error | undefined
  /** Refusal of the database of the current connection, which then uses database 0. */
  #databaseError: Error | undefined
  #closed: Promise<void> | undefined

  constructor(options: ConnectionOptions) {
    const { client } = options
    this.#options = options
    this.#client = client
    this.#gate = new ClientGate(client)
    if (!options.isOwn) return
    // Without a listener, ioredis writes to the console. Failed commands report the error.
    client.on('error', (error: Error) => {
      if (isAboutDatabase(error)) this.#databaseError = error
      else this.#connectionError = error
    })
    client.on('connect', () => (this.#databaseError = undefined))
    client.on('node error', (error: Error) => (this.#connectionError = error))
    client.on('ready', () => (this.#connectionError = undefined))
  }

  async command(name: string, ...args: CommandArgument[]): Promise<unknown> {
    return this.#explained(() => this.#send(this.#client, name, args))
  }

  /** The caller must not change the parts until the command is answered. */
  async put(name: string, args: readonly (string | number)[], ...parts: Uint8Array[]): Promise<unknown> {
    return this.#explained(() => this.#sendCommand(this.#client, name, () => new ValueCommand(name, args, parts)))
  }

  /** All keys must have the hash tag of the scope. */
  async script({ lua, sha }: Script, keys: readonly string[], args: readonly CommandArgument[]): Promise<unknown> {
    return this.#explained(async () => {
      try {
        return await this.#send(this.#client, 'EVALSHA', [sha, keys.length, ...keys, ...args])
      } catch (error) {
        if (!(error instanceof Error) || !/NOSCRIPT/.test(error.message)) throw error
        return this.#send(this.#client, 'EVAL', [lua, keys.length, ...keys, ...args])
      }
    })
  }

  /** Yields pages of keys. A key may be returned more than once. */
  async *scan(pattern: string): AsyncGenerator<string[]> {
    for (const node of await this.#masters()) {
      let cursor = '0'
      do {
        const args = [cursor, 'MATCH', pattern, 'COUNT', 1_000]
        const reply = await this.#explained(() => this.#send(node, 'SCAN', args))
        const [next, keys] = reply as [Buffer, Buffer[]]
        cursor = next.toString()
        if (keys.length > 0) yield keys.map(String)
      } while (cursor !== '0')
    }
  }

  /** Returns whether a server may have evicted keys without an expiry. */
  async mayLoseKeys(): Promise<boolean> {
    for (const node of await this.#masters()) {
      const info = String(await this.#explained(() => this.#send(node, 'INFO', [])))
      const keepsThem = /^(?:maxmemory:0|maxmemory_policy:(?:noeviction|volatile-\w+))\r$/m.test(info)
      if (!keepsThem || !/^evicted_keys:0\r$/m.test(info)) return true
    }
    return false
  }

  async close(): Promise<void> {
    if (this.#options.isOwn) await (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    if (this.#client.status === 'ready') await Promise.allSettled([this.#send(this.#client, 'QUIT', [])])
    this.#client.disconnect()
  }

  async #masters(): Promise<Redis[]> {
    const client = this.#client
    if (!('nodes' in client)) return [client]
    // A Cluster client has no nodes before it is connected.
    await this.command('PING')
    return client.nodes('master')
  }

  async #explained(run: () => Promise<unknown>): Promise<unknown> {
    // A closed client may keep commands in its queue.
    if (this.#closed !== undefined) throw wasClosed()
    try {
      return await run()
    } catch (error) {
      if (this.#closed !== undefined) throw wasClosed()
      throw explainRedisError(error, this.#options, this.#connectionError)
    }
  }

  async #send(client: RedisClient, name: string, args: readonly CommandArgument[]): Promise<unknown> {
    return this.#sendCommand(client, name, () => new SentCommand(name, args))
  }

  /** Sends a command with our own timeout, because a caller's client may have none. */
  async #sendCommand(client: RedisClient, name: string, make: () => SentCommand): Promise<unknown> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new CommandTimeout(`${name} was not answered in time.`)),
      this.#options.commandTimeoutMs,
    )
    let command: SentCommand | undefined
    try {
      // The clients of a Cluster's nodes connect by themselves.
      if (client === this.#client && !this.#gate.isOpen) await Promise.race([this.#gate.opened(), late])
      if (this.#databaseError !== undefined) throw this.#databaseError
      command = make()
      return await Promise.race([client.sendCommand(command), late])
    } catch (error) {
      if (error instanceof CommandTimeout) command?.giveUp()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

const wasClosed = (): StorageError =>
  new StorageError('unavailable', 'The storage was closed. Create a new one.', { retryable: false })

/** A command fails after this number of failed connects, or if connects fail for this number of milliseconds. */
const FAILED_CONNECTS = 2
const FAILING_MS = 500

/** Waits for the connection, because a queued command could run after it was reported as failed. */
class ClientGate {
  readonly #client: RedisClient
  #waiting: Promise<void> | undefined

  constructor(client: RedisClient) {
    this.#client = client
  }

  get isOpen(): boolean {
    return this.#client.status === 'ready'
  }

  async opened(): Promise<void> {
    this.#waiting ??= this.#connected().finally(() => (this.#waiting = undefined))
    return this.#waiting
  }

  async #connected(): Promise<void> {
    const client = this.#client
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let reason = new Error('Connection is closed.')
    let failed = 0
    const since = performance.now()
    const failedAgain = (): void => {
      failed += 1
      if (failed >= FAILED_CONNECTS && performance.now() - since >= FAILING_MS) reject(reason)
    }
    const listeners = {
      ready: () => resolve(),
      end: () => reject(reason),
      close: failedAgain,
      error: (error: Error) => (reason = error),
    }
    for (const [event, listener] of Object.entries(listeners)) client.on(event, listener)
    try {
      if (client.status === 'end') throw reason
      // Events report a failed connection.
      if (client.status === 'wait') void Promise.allSettled([client.connect()])
      await promise
    } finally {
      for (const [event, listener] of Object.entries(listeners)) client.off(event, listener)
    }
  }
}

/** A command did not get an answer in time. The server may still execute the command. */
class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout'
}

/** Explanations of replies. `SERVER` is replaced by the address, and `MESSAGE` by the reply. */
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
    'SERVER has reached its maxmemory. Raise maxmemory, remove content (clear, gc, a smaller maxBytes), or set a maxmemory-policy that evicts, such as allkeys-lru.',
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
    'SERVER has no node for this key at present. Try again after the failover; if it persists, check the nodes of the Cluster.',
  ],
  [
    /^MOVED|^ASK /,
    'SERVER is a node of a Cluster. Use a url such as redis+cluster://host:port,host:port, or a Cluster client.',
  ],
  [/^BUSY/, 'SERVER is busy with a script of another client. Try again.'],
  [
    /max number of clients/,
    'SERVER has no room for another client. Increase maxclients of the server, or share one storage in this process.',
  ],
  [/subscriber mode/, 'The client is in subscriber mode. Give the storage another client.'],
  [/unknown command|unknown subcommand/i, 'SERVER does not know a command that is needed. Use Redis 6.2 or later.'],
  [/cluster support disabled/i, 'Cluster mode is off on this Redis server. Use a url such as redis://host:port.'],
  [
    /db index is out of range|SELECT is not allowed/i,
    'SERVER does not have that database. Change the number at the end of the url.',
  ],
]

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|ENOENT/, 'nothing listens there. Start Redis, or correct host and port in the url'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host is not known. Correct it in the url'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|altname/i,
    'its certificate is not trusted. Set "tls" in the option "connection"',
  ],
  [
    /ERR_SSL|EPROTO|wrong version number/i,
    'it does not speak TLS on this port. Use redis:// instead of rediss://, or its TLS port',
  ],
  [
    /Connection is closed|max retries per request/,
    'the connection is lost. Try again; if it persists, check the server, the host and port in the url, and the certificate of a server with TLS',
  ],
  [/Protocol error|Please report this/i, 'the server is not Redis. Correct the port in the url'],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE|ECONNABORTED/,
    'the network fails. Check host, port and firewall; a port with TLS needs rediss://, and a port without TLS redis://',
  ],
]

/** Returns a `StorageError` with the fix, without credentials or content. */
function explainRedisError(thrown: unknown, server: ConnectionOptions, connectionError: Error | undefined): unknown {
  if (StorageError.isInstance(thrown) || !(thrown instanceof Error)) return thrown
  const error = rootOf(thrown)
  // If the connection failed, its own error has more information.
  const root = isAboutConnection(error) && connectionError !== undefined ? rootOf(connectionError) : error
  const { message } = root
  if (/WRONGTYPE/.test(message))
    return new StorageError(
      'corrupt',
      `A key of the storage at ${server.address} has an unexpected value. Give the storage its own "prefix", or delete the key.`,
      { cause: plainCause(root) },
    )
  const known = REPLIES.find(([pattern]) => pattern.test(message))?.[1]
  if (known !== undefined)
    return unavailable(
      known.replace('SERVER', () => server.address).replace('MESSAGE', () => message),
      root,
    )
  const failure = FAILURES.find(([pattern]) => pattern.test(`${errorCode(root)} ${message}`))?.[1]
  if (failure !== undefined) return unavailable(`Redis at ${server.address} cannot be reached: ${failure}.`, root)
  if (root instanceof CommandTimeout)
    return unavailable(
      `Redis at ${server.address} has not answered within ${server.commandTimeoutMs} ms ("commandTimeoutMs"). Try again; the content may be stored already, and storing it again does no harm.`,
      root,
    )
  return unavailable(`Redis at ${server.address} failed: ${message} Try again; if it persists, check the server.`, root)
}

/** A Cluster error contains the last failure of a node. Returns this failure. */
function rootOf(error: Error): Error {
  const { lastNodeError } = error as { lastNodeError?: unknown }
  return lastNodeError instanceof Error ? lastNodeError : error
}

const isAboutConnection = (error: Error): boolean =>
  error instanceof CommandTimeout ||
  /max retries per request|Connection is closed|Stream isn't writeable|slots cache|startup nodes/.test(error.message)

/** Whether a server refused the database of a new connection. ioredis then continues in database 0. */
const isAboutDatabase = (error: Error): boolean =>
  (error as { command?: { name?: unknown } }).command?.name === 'select'

const unavailable = (message: string, error: Error | undefined): StorageError =>
  new StorageError('unavailable', message, { cause: error && plainCause(error) })

/** Returns an error without the command, whose passwords and content must not be logged. */
function plainCause(error: Error): Error {
  const plain = new Error(error.message)
  plain.name = error.name
  const code = errorCode(error)
  return code === '' ? plain : Object.assign(plain, { code })
}

const LINE_END = Buffer.from('\r\n')
/** Size below which copying is faster than sending one more part. */
const COPIED_BYTES = 8 * 1024

/** A command that is sent in one system call together with the commands right after it. Its reply is a buffer. */
class SentCommand extends Command {
  constructor(name: string, args: readonly (string | Buffer | number)[]) {
    super(name, [...args], { replyEncoding: null })
  }

  override toWritable(socket: object): string | Buffer {
    if (socket instanceof Writable) hold(socket)
    return super.toWritable(socket)
  }

  /** Replaces a command that was reported as failed with a harmless command, in case the client still sends it. */
  giveUp(): void {
    this.name = 'ping'
    this.args = []
  }
}

class ValueCommand extends SentCommand {
  readonly #parts: readonly Uint8Array[]

  constructor(name: string, args: readonly (string | number)[], parts: readonly Uint8Array[]) {
    super(name, [...args, ''])
    this.#parts = parts
  }

  /** Writes the command. The last part is returned, and the parts before it are written directly. */
  override toWritable(socket: object): string | Buffer {
    // The command was replaced by `giveUp`.
    if (this.args.length === 0) return super.toWritable(socket)
    const words = [this.name, ...this.args.slice(0, -1).map(String)]
    const size = this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const sent = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')
    let before: Uint8Array = Buffer.from(`*${words.length + 1}\r\n${sent}$${size}\r\n`)
    if (!(socket instanceof Writable)) return Buffer.concat([before, ...this.#parts, LINE_END])
    hold(socket)
    for (const part of this.#parts) {
      if (part.byteLength < COPIED_BYTES) before = Buffer.concat([before, part])
      else {
        socket.write(before)
        before = part
      }
    }
    if (before.byteLength < COPIED_BYTES) return Buffer.concat([before, LINE_END])
    socket.write(before)
    return LINE_END
  }
}

/** Delays the socket's writes until the current task ends. Large values are not delayed. */
function hold(socket: Writable): void {
  socket.cork()
  queueMicrotask(() => socket.uncork())
}
