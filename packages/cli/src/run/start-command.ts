import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { CliError, EXIT_CODE, signalExitCode } from '../cli-error.ts'
import { quoteForShell } from '../output.ts'

export interface CommandExit {
  /** The exit code, or 128 and more after a signal. */
  readonly code: number
  readonly signal: NodeJS.Signals | undefined
}

interface RunningCommand {
  /** Both streams in order; slow reading slows the command. Ends when no descendant holds its output any more. */
  readonly output: AsyncIterable<Uint8Array>
  /** Settles before `output` ends. */
  readonly exit: Promise<CommandExit>
  /** Stop handling signals. */
  release(): void
}

/** The time for output of descendants after an interrupt. */
const AFTER_INTERRUPT_MS = 1_000

/** Start a command, forwarding signals. Throws a {@link CliError} `command-not-found` or `not-executable`. */
export async function startCommand(command: string, args: readonly string[]): Promise<RunningCommand> {
  let interrupted = false
  let exited = false
  // Before the start, because the child may interrupt this process at once.
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

/** A program that exists but is not found names a missing interpreter. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied. Is it executable?',
  ENOENT: 'the interpreter that its first line names is missing.',
}

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

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/** A terminal sends these to all foreground processes, including the command. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/** `isDelivered` is true for the first Ctrl-C on a terminal, which the command has received already. */
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

interface OutputPipe {
  /** For `stdio`; close it after the start. */
  readonly writer: number
  readonly reader: Socket
  closeWriter(): void
}

/** One pipe for both streams keeps their order, and unlike a socket can be opened as `/dev/stderr`. */
function openOutputPipe(): OutputPipe | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-'))
  try {
    const path = join(folder, 'output')
    if (spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' }).status !== 0) return undefined
    // Opening a writer waits for a reader.
    const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writer = openSync(path, constants.O_WRONLY)
    const reader = new Socket({ fd: readerFd, readable: true, writable: false })
    return { writer, reader, closeWriter: () => closeSync(writer) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads several streams as one until they end or are stopped. */
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

  /** End after the data that has arrived. */
  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  /** Close the streams, so that writers notice. */
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
