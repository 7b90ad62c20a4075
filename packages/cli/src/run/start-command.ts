import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { CliError, EXIT_CODE, signalExitCode } from '../cli-error.ts'
import { quoteForShell } from '../output.ts'

/** How a command ended. */
export interface CommandExit {
  /** Its own exit code, or 128 and more where a signal ended it. */
  readonly code: number
  readonly signal: NodeJS.Signals | undefined
}

/** A command that runs. */
interface RunningCommand {
  /**
   * What it writes to standard output and standard error, in one order. Reading slowly slows the command down. It ends
   * once the command has ended and nothing that it started holds its output any more.
   */
  readonly output: AsyncIterable<Uint8Array>
  /** Settles before `output` ends. */
  readonly exit: Promise<CommandExit>
  /** Stop catching signals. */
  release(): void
}

/** How long what an interrupted command has left behind may go on writing, in milliseconds. */
const AFTER_INTERRUPT_MS = 1_000

/**
 * Start a command with this process's standard input, and forward signals to it.
 *
 * Throws a {@link CliError} `command-not-found` (127) or `not-executable` (126).
 */
export async function startCommand(command: string, args: readonly string[]): Promise<RunningCommand> {
  let interrupted = false
  let exited = false
  // Before the child starts, which may end or interrupt this process at once.
  const release = catchSignals((signal, isDelivered) => {
    interrupted = true
    if (exited) reader.stop()
    else if (!isDelivered) child.kill(signal)
  })
  const pipe = openOutputPipe()
  const child = spawn(command, args, {
    stdio: ['inherit', pipe?.writer ?? 'pipe', pipe?.writer ?? 'pipe'],
    windowsHide: true,
  })
  pipe?.closeWriter()
  const streams: readonly (Readable | null)[] = pipe === undefined ? [child.stdout, child.stderr] : [pipe.reader]
  const reader = new OutputReader(streams.filter((stream) => stream !== null))
  const exit = exitOf(child).then((result) => {
    exited = true
    if (interrupted || result.signal !== undefined) setTimeout(() => reader.stop(), AFTER_INTERRUPT_MS).unref()
    return result
  })
  try {
    await started(child, command)
  } catch (error) {
    release()
    reader.close()
    throw error
  }
  return { output: untilExit(reader, exit), exit, release }
}

async function* untilExit(output: AsyncIterable<Uint8Array>, exit: Promise<CommandExit>): AsyncGenerator<Uint8Array> {
  yield* output
  await exit
}

function exitOf(child: ChildProcess): Promise<CommandExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code: code ?? signalExitCode(signal ?? 'SIGKILL'), signal: signal ?? undefined })
    })
  })
}

function started(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error: NodeJS.ErrnoException) => reject(startError(error, command)))
  })
}

/** A program that is there and not found names an interpreter that is not there. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied. Is it executable?',
  ENOENT: 'the interpreter that its first line names is missing.',
}

/** Say what to do instead if a shell would have found the command. */
function adviceFor(command: string): string {
  const inShell = `sh -c ${quoteForShell(command)}`
  return /\s/.test(command)
    ? `Leave out the quotes around the command and its arguments, or run it in a shell: ${inShell}.`
    : `Check its name and PATH. Builtins and aliases of a shell are no programs; a builtin runs as ${inShell}.`
}

function startError(error: NodeJS.ErrnoException, command: string): CliError {
  if (error.code === 'ENOENT' && !(command.includes('/') && existsSync(command))) {
    const message = `${command}: command not found. ${adviceFor(command)} Nothing was run.`
    return new CliError('command-not-found', EXIT_CODE.notFound, message, { cause: error })
  }
  const reason = REASONS[error.code ?? ''] ?? `${error.message}.`
  const message = `${command}: cannot be executed: ${reason} Nothing was run.`
  return new CliError('not-executable', EXIT_CODE.notExecutable, message, { cause: error })
}

/** Signals that people and supervisors send to end a command, or to tell it something. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/** Signals that a terminal sends to every process in its foreground, so to the command as well. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/**
 * Call `onSignal` for each signal that this process gets, and survive it, until the returned function is called.
 *
 * `isDelivered` is true for the first Ctrl-C on a terminal: the command has it already, and many take a second one as
 * "drop everything".
 */
function catchSignals(onSignal: (signal: NodeJS.Signals, isDelivered: boolean) => void): () => void {
  const seen = new Set<NodeJS.Signals>()
  const listener = (signal: NodeJS.Signals): void => {
    const isDelivered = FROM_TERMINAL.has(signal) && !seen.has(signal) && hasTerminal()
    seen.add(signal)
    onSignal(signal, isDelivered)
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}

const hasTerminal = (): boolean => [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)

/** One pipe for everything that a command writes. */
interface OutputPipe {
  /** The end that the command writes to, for `stdio`. Close it with {@link OutputPipe.closeWriter} after the start. */
  readonly writer: number
  readonly reader: Socket
  closeWriter(): void
}

/**
 * Open a pipe that can be standard output and standard error of one command, so that their order is exactly that in
 * which the command wrote. Returns `undefined` where the system has no `mkfifo` (Windows).
 *
 * Node.js itself gives children sockets, one for each: the order between them is lost, and a shell that opens
 * `/dev/stderr` fails on a socket. A named pipe that loses its name at once is an ordinary pipe.
 */
function openOutputPipe(): OutputPipe | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-'))
  try {
    const path = join(folder, 'output')
    if (spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' }).status !== 0) return undefined
    // The reader first, and without waiting: opening a writer waits until there is a reader.
    const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writer = openSync(path, constants.O_WRONLY)
    const reader = new Socket({ fd: readerFd, readable: true, writable: false })
    return { writer, reader, closeWriter: () => closeSync(writer) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Read one or several streams as one, in the order in which they have something, until they end or are stopped. */
export class OutputReader implements AsyncIterable<Uint8Array> {
  readonly #streams: readonly Readable[]
  #open: number
  #stopped = false
  #failure: Error | undefined
  #wake: () => void = () => {}

  constructor(streams: readonly Readable[]) {
    this.#streams = streams
    this.#open = streams.length
    for (const stream of streams) {
      stream.on('readable', () => this.#wake())
      stream.once('end', () => {
        this.#open -= 1
        this.#wake()
      })
      stream.once('error', (error) => {
        this.#failure = error
        this.#wake()
      })
    }
  }

  /** End after what has arrived so far. */
  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  /** Let go of the streams: whoever still writes to them learns that nobody reads. */
  close(): void {
    for (const stream of this.#streams) stream.destroy()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => (this.#wake = resolve))
        const chunks = this.#streams
          .map((stream) => stream.read() as Uint8Array | null)
          .filter((chunk) => chunk !== null)
        yield* chunks
        if (chunks.length > 0 && !this.#stopped) continue
        if (this.#failure !== undefined) throw this.#failure
        if (this.#open === 0 || this.#stopped) return
        await woken
      }
    } finally {
      this.close()
    }
  }
}
