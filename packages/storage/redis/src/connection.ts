import { StorageError } from '@spillway/core/driver'
import type { Redis } from 'ioredis'
import { ClientGate } from './client-gate.ts'
import type { RedisClient } from './redis-client.ts'
import { CommandTimeout, explainRedisError } from './redis-error.ts'
import type { Script } from './scripts.ts'
import { SentCommand, ValueCommand } from './sent-command.ts'

/** A word of a command. */
export type CommandArgument = string | Buffer | number

/** What {@link Connection} needs. */
export interface ConnectionOptions {
  readonly client: RedisClient
  /** Whether the client belongs to the storage, which then closes it. */
  readonly isOwn: boolean
  readonly address: string
  readonly commandTimeoutMs: number
}

/** Send commands, each answered or failed within the timeout, and explain what fails. Replies are buffers. */
export class Connection {
  readonly #client: RedisClient
  readonly #gate: ClientGate
  readonly #isOwn: boolean
  readonly #address: string
  readonly #commandTimeoutMs: number
  #connectionError: Error | undefined
  #closed: Promise<void> | undefined

  constructor({ client, isOwn, address, commandTimeoutMs }: ConnectionOptions) {
    this.#client = client
    this.#gate = new ClientGate(client)
    this.#isOwn = isOwn
    this.#address = address
    this.#commandTimeoutMs = commandTimeoutMs
    if (!isOwn) return
    // Without a listener ioredis writes to the console. Commands that fail because of it say why.
    client.on('error', (error: Error) => (this.#connectionError = error))
    client.on('node error', (error: Error) => (this.#connectionError = error))
    client.on('ready', () => (this.#connectionError = undefined))
  }

  async command(name: string, ...args: CommandArgument[]): Promise<unknown> {
    return this.#explained(() => this.#send(this.#client, name, args))
  }

  /** Send a command whose last argument is large, and may be in parts. They must not change until it is answered. */
  async put(name: string, args: readonly (string | number)[], ...parts: Uint8Array[]): Promise<unknown> {
    return this.#explained(() => this.#sendCommand(this.#client, name, () => new ValueCommand(name, args, parts)))
  }

  /** Run a script on keys of one hash tag: the index of a scope, and what must be on the same node as that. */
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

  /** Go through all keys of all masters that match a pattern, by pages. A key may come more than once. */
  async *scan(pattern: string): AsyncGenerator<string[]> {
    // Before a Cluster client is connected it knows no nodes.
    if (this.#client.isCluster) await this.command('EXISTS', pattern)
    for (const node of this.#masters()) {
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

  /** Close a client of our own. Closing twice is fine. */
  async close(): Promise<void> {
    if (this.#isOwn) await (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    if (this.#client.status === 'ready') await Promise.allSettled([this.#send(this.#client, 'QUIT', [])])
    this.#client.disconnect()
  }

  #masters(): Redis[] {
    const client = this.#client
    return 'nodes' in client ? client.nodes('master') : [client]
  }

  async #explained(run: () => Promise<unknown>): Promise<unknown> {
    // A client that is closed may keep commands waiting for a connection.
    if (this.#closed !== undefined) throw wasClosed()
    try {
      return await run()
    } catch (error) {
      if (this.#closed !== undefined) throw wasClosed()
      throw explainRedisError(error, {
        address: this.#address,
        connectionError: this.#connectionError,
        commandTimeoutMs: this.#commandTimeoutMs,
      })
    }
  }

  async #send(client: RedisClient, name: string, args: readonly CommandArgument[]): Promise<unknown> {
    return this.#sendCommand(client, name, () => new SentCommand(name, args))
  }

  /** A client of the caller's may have no timeout at all, so every answer is waited for with one of our own. */
  async #sendCommand(client: RedisClient, name: string, make: () => SentCommand): Promise<unknown> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new CommandTimeout(`${name} was not answered in time.`)),
      this.#commandTimeoutMs,
    )
    let command: SentCommand | undefined
    try {
      // The clients of a Cluster's nodes connect by themselves.
      if (client === this.#client && !this.#gate.isOpen) await Promise.race([this.#gate.opened(), late])
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
  new StorageError('unavailable', 'The storage was closed. Make a new one.', { retryable: false })
