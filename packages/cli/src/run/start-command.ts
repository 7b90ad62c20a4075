import { existsSync } from 'node:fs'
import { spawn, type ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { CliError } from '../cli-error.ts'
import { EXIT_CODE, signalExitCode } from '../exit-code.ts'
import { quoteForShell } from '../format.ts'
import { catchSignals } from './catch-signals.ts'
import { openOutputPipe } from './output-pipe.ts'
import { OutputReader } from './output-reader.ts'

/** How a command ended. */
export interface CommandExit {
  /** Its own exit code, or 128 and more where a signal ended it. */
  readonly code: number
  readonly signal: NodeJS.Signals | undefined
}

/** A command that runs. */
export interface RunningCommand {
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
  const pipe = openOutputPipe()
  const child = spawn(command, args, {
    stdio: ['inherit', pipe?.writer ?? 'pipe', pipe?.writer ?? 'pipe'],
    windowsHide: true,
  })
  pipe?.closeWriter()
  const streams: readonly (Readable | null)[] = pipe === undefined ? [child.stdout, child.stderr] : [pipe.reader]
  const reader = new OutputReader(streams.filter((stream) => stream !== null))
  let interrupted = false
  let exited = false
  const release = catchSignals((signal, isDelivered) => {
    interrupted = true
    if (exited) reader.stop()
    else if (!isDelivered) child.kill(signal)
  })
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
