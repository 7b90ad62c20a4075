import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '../relay/message.ts'
import type { Connection, ConnectionHandlers } from './connection.ts'
import { StdioConnection } from './stdio-connection.ts'

/** A server program, connected by standard input and output. */
export interface ServerCommand {
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Variables added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
}

/** Milliseconds to wait for a program to exit, after the end of its input and again after SIGTERM. */
const END_MS = 2_000
/** Milliseconds to wait for a program's last output after it exited. */
const LAST_OUTPUT_MS = 250

/** Starts a server program. Closing ends its input, sends SIGTERM after 2 seconds, and SIGKILL after 2 more. */
export class ChildConnection implements Connection {
  readonly #server: ServerCommand
  readonly #maxMessageBytes: number | undefined
  #child: ChildProcess | undefined
  #stdio: StdioConnection | undefined
  #ended: Promise<void> = Promise.resolve()
  #hasEnded = false

  constructor(server: ServerCommand, maxMessageBytes?: number) {
    this.#server = server
    this.#maxMessageBytes = maxMessageBytes
  }

  /** Start the program; rejects if it cannot start. */
  async start({ onMessage, onClose, onError }: ConnectionHandlers): Promise<void> {
    const { command, args = [], env, cwd } = this.#server
    const child = spawn(command, args, { env: { ...process.env, ...env }, cwd, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(new Error(explainStart(error, this.#server), { cause: error })),
      )
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ended = promise
    const stdio = new StdioConnection({
      input: child.stdout,
      output: child.stdin,
      maxMessageBytes: this.#maxMessageBytes,
    })
    this.#stdio = stdio
    child.once('exit', (code, signal) => {
      this.#hasEnded = true
      const reason = signal === null ? `exit code ${code}` : `signal ${signal}`
      void Promise.race([new Promise((closed) => child.once('close', closed)), sleep(LAST_OUTPUT_MS)]).then(() => {
        resolve()
        onClose(reason)
      })
    })
    await stdio.start({
      onMessage,
      // A program may close its output before it ends. Only the end of the program closes the connection.
      onClose: () => {},
      onError: (error) => {
        // The program no longer reads its input, because it is ending.
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') onError(error)
      },
    })
  }

  async send(message: Message): Promise<void> {
    if (this.#stdio === undefined || this.#hasEnded) throw new Error('The server is not running.')
    try {
      await this.#stdio.send(message)
    } catch (error) {
      // A program that ends closes its input first. Its exit code says more than this error.
      await Promise.race([this.#ended, sleep(END_MS, undefined, { ref: false })])
      if (!this.#hasEnded) throw error
    }
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.pid === undefined || this.#hasEnded) return
    child.stdin?.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([this.#ended.then(() => true), sleep(END_MS, false, { ref: false })])) return
      child.kill(signal)
    }
    await this.#ended
  }
}

/** Arguments can be secret, so only the first word is named of a command in quotes. */
function explainStart({ code, message }: NodeJS.ErrnoException, { command, cwd }: ServerCommand): string {
  const [program, ...words] = command.split(' ')
  const advice = words.length > 0 ? ' Write its arguments as separate words.' : ''
  if (code === 'ENOENT') return `The command ${program} was not found${cwd ? `, or ${cwd} is missing` : ''}.${advice}`
  return code === 'EACCES' ? `The command ${program} may not be executed.` : message
}
