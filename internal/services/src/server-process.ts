import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GuardedFolder } from './guarded-folder.ts'
import { runProgram } from './run-program.ts'
import { waitUntil } from './wait-until.ts'

const STOP_MS = 10_000
const LOG_TAIL = 1_000

/** The command that starts a server, and a check that the server is ready. */
export interface ServerCommand {
  /** Name of the server, for messages and its log file. */
  readonly name: string
  readonly command: string
  /** Arguments with which the server stays in the foreground. */
  readonly args: readonly string[]
  /** The container's name, if the command is `docker run`. */
  readonly container?: string | undefined
  /** Ask the server itself whether it is ready. */
  readonly isReady: () => Promise<boolean>
  /** Time limit until the server is ready, in milliseconds. Defaults to 30,000. */
  readonly timeoutMs?: number | undefined
  /** The signal that stops the server. Defaults to SIGTERM. */
  readonly stopSignal?: 'SIGTERM' | 'SIGINT' | undefined
}

/** A server that is a child of this process, and ends with this process. It can be killed and started again. */
export class ServerProcess {
  readonly #folder: GuardedFolder
  readonly #command: ServerCommand
  #child: ChildProcess | undefined

  constructor(folder: GuardedFolder, command: ServerCommand) {
    this.#folder = folder
    this.#command = command
  }

  /** The process id; `undefined` if the server does not run. */
  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined
  }

  /** Whether the server was started and has not ended. */
  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** The end of the server's log. */
  get log(): string {
    return readFileSync(this.#logFile, 'utf8').slice(-LOG_TAIL)
  }

  get #logFile(): string {
    return join(this.#folder.path, `${this.#command.name}.log`)
  }

  /** Start the server, if it does not run, and wait until it is ready. Rejects with the end of its log if it ends. */
  async start(): Promise<void> {
    if (this.isRunning) return
    const { name, command, args, isReady, timeoutMs } = this.#command
    const log = openSync(this.#logFile, 'a')
    // The process group is separate: Ctrl-C reaches only the test run, which stops its servers itself.
    const child = spawn(command, args, { stdio: ['ignore', log, log], detached: true, cwd: this.#folder.path })
    closeSync(log)
    child.unref()
    this.#child = child
    const guarded = this.#guarded
    let failure: Error | undefined
    child.once('error', (error) => (failure = error))
    child.once('exit', () => guarded !== undefined && this.#folder.release(guarded))
    if (guarded !== undefined) this.#folder.guard(guarded)
    try {
      await waitUntil(
        `${name} to get ready`,
        async () => {
          if (failure !== undefined) throw failure
          if (!this.isRunning) throw new Error(`${name} ended by itself.`)
          return await isReady()
        },
        timeoutMs,
      )
    } catch (error) {
      const log = this.log
      await this.kill()
      throw new Error(`${name} does not start: ${(error as Error).message}\n${log}`, { cause: error })
    }
  }

  get #guarded(): number | string | undefined {
    const { container } = this.#command
    return container === undefined ? this.#child?.pid : `container:${container}`
  }

  /** Kill the server with SIGKILL, if it runs, and wait until it has ended. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stop the server, and wait until it has ended. After 10 s, the server is killed. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => void this.#signal('SIGKILL'), STOP_MS)
    try {
      await this.#end(this.#command.stopSignal ?? 'SIGTERM')
    } finally {
      clearTimeout(timer)
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined || !this.isRunning) return
    child.ref()
    const exit = once(child, 'exit')
    await this.#signal(signal)
    await exit
    // The name of the container is free only after its removal.
    if (this.#command.container !== undefined) await runProgram('docker', ['rm', '--force', this.#command.container])
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const { container } = this.#command
    if (container !== undefined) await runProgram('docker', ['kill', '--signal', signal, container])
    // The Docker client forwards SIGTERM, and ends together with its container.
    if (container === undefined || signal === 'SIGKILL') this.#child?.kill(signal)
  }
}
