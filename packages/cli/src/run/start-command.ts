import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { CliError, EXIT_CODE, signalExitCode } from '../cli-error.ts'
import { quoteForCmd, quoteForShell } from '../output.ts'
import { unlessRefused } from '../unless-refused.ts'

export interface CommandExit {
  /** The exit code. After a signal, it is 128 plus the number of the signal. */
  readonly code: number
  readonly signal: NodeJS.Signals | undefined
}

export interface RunningCommand {
  /** The output and error output of the command, in the order in which it wrote them. A slow reader slows down the command. */
  readonly output: AsyncIterable<Uint8Array>
  /** The exit of the command. Settles before `output` ends. */
  readonly exit: Promise<CommandExit>
  /** Return the reason why the command was stopped, a signal or the time limit; `undefined` if it ended by itself. */
  stoppedBy(): 'signal' | 'timeout' | undefined
  /** Processes that kept the output open too long after the command's end, as `name (process 12)`. */
  heldBy(): readonly string[]
  /** Stop handling signals. */
  release(): void
}

interface StartOptions {
  /** Whether a shell runs the command. The arguments are then one text. */
  readonly shell?: boolean | undefined
  readonly timeoutMs?: number | undefined
}

/** Milliseconds to wait for output of child processes after the command has ended. */
export const AFTER_EXIT_MS = 2_000
const AFTER_STOP_MS = 1_000
/** Milliseconds between asking a command to end and killing it. */
const BEFORE_KILL_MS = 5_000

/** Start a command, forwarding signals. Throws a {@link CliError} `command-not-found` or `not-executable`. */
export async function startCommand(
  command: string,
  args: readonly string[],
  { shell = false, timeoutMs }: StartOptions = {},
): Promise<RunningCommand> {
  let stoppedBy: 'signal' | 'timeout' | undefined
  let exited = false
  let holders: readonly Holder[] = []
  let patience: NodeJS.Timeout | undefined
  const end = (signal: NodeJS.Signals): void => {
    child.kill(signal)
    for (const { pid } of holdersOf(pipe) ?? []) unlessRefused(() => process.kill(pid, signal))
  }
  // Signals are caught before the start, because the child may send a signal immediately.
  const release = catchSignals((signal, isDelivered, isRepeated) => {
    stoppedBy ??= 'signal'
    if (exited) reader.stop()
    else if (isRepeated && signal === 'SIGINT') end('SIGKILL')
    else if (!isDelivered) child.kill(signal)
  })
  const pipe = openOutputPipe()
  const stdio: StdioOptions = ['inherit', pipe?.writer ?? 'pipe', pipe?.writer ?? 'pipe']
  const child = spawn(...callOf(command, args, shell), { stdio, windowsHide: true, shell: shell || IS_WINDOWS })
  pipe?.closeWriter()
  const stop = (): void => {
    stoppedBy ??= 'timeout'
    end('SIGTERM')
    setTimeout(() => exited || end('SIGKILL'), BEFORE_KILL_MS).unref()
  }
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, Math.min(timeoutMs, LONGEST_TIMER_MS)).unref()
  const streams: readonly (Readable | null)[] = pipe === undefined ? [child.stdout, child.stderr] : [pipe.reader]
  const reader = new OutputReader(streams.filter((stream) => stream !== null))
  const exit = exitOf(child).then((result) => {
    exited = true
    clearTimeout(timer)
    const stopReading = (): void => {
      const found = holdersOf(pipe)
      // If no process holds the pipe, the output ends by itself.
      if (found?.length === 0) return
      holders = found ?? []
      if (pipe !== undefined && holders.length > 0) drain(pipe)
      reader.stop()
    }
    const isStopped = stoppedBy !== undefined || result.signal !== undefined
    patience = setTimeout(stopReading, isStopped ? AFTER_STOP_MS : AFTER_EXIT_MS)
    return stoppedBy === 'timeout' ? { ...result, code: EXIT_CODE.timeout } : result
  })
  try {
    await started(child, command)
  } catch (error) {
    release()
    clearTimeout(timer)
    reader.close()
    throw error
  }
  return {
    output: untilExit(reader, exit, () => clearTimeout(patience)),
    exit,
    stoppedBy: () => stoppedBy ?? (child.signalCode === null ? undefined : 'signal'),
    heldBy: () => holders.map(({ pid, name }) => `${name} (process ${pid})`),
    release,
  }
}

/** Run a command on the streams of this process. Rejects like {@link startCommand}. */
export async function runDirectly(command: string, args: readonly string[], shell = false): Promise<CommandExit> {
  const release = catchSignals((signal, isDelivered) => isDelivered || child.kill(signal))
  const child = spawn(...callOf(command, args, shell), { stdio: 'inherit', shell: shell || IS_WINDOWS })
  const exit = exitOf(child)
  try {
    await started(child, command)
    return await exit
  } finally {
    release()
  }
}

const IS_WINDOWS = process.platform === 'win32'

/** Return the command line to start. On Windows, only cmd.exe can start `.cmd` files; this is not tested on Windows. */
const callOf = (command: string, args: readonly string[], shell: boolean): [command: string, args: readonly string[]] =>
  IS_WINDOWS && !shell ? [[command, ...args].map(quoteForCmd).join(' '), []] : [command, args]

const LONGEST_TIMER_MS = 2 ** 31 - 1

async function* untilExit(
  output: AsyncIterable<Uint8Array>,
  exit: Promise<CommandExit>,
  onEnd: () => void,
): AsyncGenerator<Uint8Array> {
  yield* output
  await exit
  onEnd()
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

/** Messages by error code. `ENOENT` for a program that exists means that its interpreter is missing. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied. Is it executable?',
  ENOENT: 'the interpreter that its first line names is missing.',
}

const SHELL_SYNTAX = /[\s|&;<>()$`*?~]/

function adviceFor(command: string): string {
  const inShell = `spillway run --shell ${quoteForShell(command)}`
  return SHELL_SYNTAX.test(command)
    ? `Leave out the quotes around the command and its arguments, or run it in a shell: ${inShell}.`
    : `Check its name and PATH. Builtins and aliases of a shell are not programs; a builtin runs as ${inShell}.`
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

/** Signals that a terminal sends to all foreground processes, including the command. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/** Call `onSignal` for each signal. With `isDelivered`, the terminal has already sent the signal to the command. */
function catchSignals(
  onSignal: (signal: NodeJS.Signals, isDelivered: boolean, isRepeated: boolean) => void,
): () => void {
  const seen = new Set<NodeJS.Signals>()
  const listener = (signal: NodeJS.Signals): void => {
    const isRepeated = seen.has(signal)
    seen.add(signal)
    onSignal(signal, FROM_TERMINAL.has(signal) && !isRepeated && hasTerminal(), isRepeated)
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}

const hasTerminal = (): boolean => [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)

interface OutputPipe {
  /** File descriptor for `stdio`. Close it after the command has started. */
  readonly writer: number
  readonly readerFd: number
  readonly reader: Socket
  closeWriter(): void
}

/**
 * Open one pipe for both output streams, which keeps their order. A command can also open it as `/dev/stderr`. Bun and
 * Deno cannot read such a pipe.
 */
function openOutputPipe(): OutputPipe | undefined {
  if ('bun' in process.versions || 'deno' in process.versions) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'spillway-'))
  try {
    const path = join(folder, 'output')
    if (spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' }).status !== 0) return undefined
    // The reader is opened first, because opening a pipe for writing waits for a reader.
    const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writer = openSync(path, constants.O_WRONLY)
    const reader = new Socket({ fd: readerFd, readable: true, writable: false })
    return { writer, readerFd, reader, closeWriter: () => closeSync(writer) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Holder {
  readonly pid: number
  readonly name: string
}

/**
 * Find the other processes that hold a pipe. Only Linux shows these processes. Elsewhere, the result is `undefined`.
 */
function holdersOf(pipe: OutputPipe | undefined): readonly Holder[] | undefined {
  const place = pipe && unlessRefused(() => readlinkSync(`/proc/self/fd/${pipe.readerFd}`))
  if (place === undefined) return undefined
  const holds = (pid: string): boolean =>
    unlessRefused(() => readdirSync(`/proc/${pid}/fd`))?.some(
      (fd) => unlessRefused(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === place,
    ) === true
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && holds(pid))
    .map((pid) => ({
      pid: Number(pid),
      name: unlessRefused(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()) ?? 'a program',
    }))
}

/** Let a separate process read the rest: a program is ended by a signal if nothing reads its pipe. */
function drain({ readerFd }: OutputPipe): void {
  // `cat` opens the pipe by its path, because reads of `readerFd` do not wait. Opening a pipe waits for a writer, so a
  // writer is opened first.
  const writer = openSync(`/proc/self/fd/${readerFd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', readerFd, writer]
  spawn('sh', ['-c', 'exec </proc/self/fd/3 3<&- 4>&-; exec cat'], { stdio, detached: true })
    .on('error', () => undefined)
    .unref()
  closeSync(writer)
}

/** Largest number of unread bytes in a pipe. */
const PIPE_BYTES = 1_048_576
/** Number of short pauses before the reading ends: a timer may fire before data that has arrived is read. */
const MAX_PAUSES = 5
const PAUSE_MS = 5

/** Reads several streams as one stream until they end or `stop` is called. */
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

  /** End the stream after the data that has already arrived. */
  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  /** Close the streams, so that writers get an error. */
  close(): void {
    for (const stream of this.#streams) stream.destroy()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let left = PIPE_BYTES
    let pauses = 0
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => (this.#wake = resolve))
        const chunks = this.#streams
          .map((stream) => stream.read() as Uint8Array | null)
          .filter((chunk) => chunk !== null)
        yield* chunks
        if (this.#failure !== undefined) throw this.#failure
        if (!this.#stopped) {
          if (chunks.length > 0) continue
          if (this.#open === 0) return
          await woken
        } else if (chunks.length > 0) {
          left -= chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
          pauses = 0
          if (left <= 0) return
        } else {
          if (this.#open === 0 || pauses === MAX_PAUSES) return
          pauses += 1
          await Promise.race([woken, wait(PAUSE_MS)])
        }
      }
    } finally {
      this.close()
    }
  }
}
