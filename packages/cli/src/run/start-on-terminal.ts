import { PassThrough } from 'node:stream'
import type { spawn as SpawnTerminal } from '@lydell/node-pty'
import { CliError, EXIT_CODE } from '../cli-error.ts'
import type { CommandExit, RunningCommand, StartOptions } from './start-command.ts'

const END_OF_INPUT = '\u0004'
const CTRL_C = 3

/** Start a command on a pseudo-terminal, so that it prompts and shows colors. Throws a {@link CliError} `not-installed`. */
export async function startOnTerminal(
  command: string,
  args: readonly string[],
  { shell = false, timeoutMs }: StartOptions,
): Promise<RunningCommand> {
  const { spawn } = await loadTerminals()
  const [program, words] = shell ? shellCall(command) : [command, args]
  const size = (): [columns: number, rows: number] => [process.stderr.columns || 80, process.stderr.rows || 24]
  const [cols, rows] = size()
  const child = spawn(program, [...words], { name: process.env['TERM'] ?? 'xterm', cols, rows, encoding: null })
  let stoppedBy: 'signal' | 'timeout' | undefined
  const end = (signal: NodeJS.Signals, reason: 'signal' | 'timeout'): void => {
    stoppedBy ??= reason
    child.kill(signal)
  }
  const output = new PassThrough()
  const decoder = new TextDecoder()
  output.on('drain', () => child.resume())
  // Without an encoding, the chunks are buffers, although their type differs.
  child.onData((chunk) => output.write(Buffer.from(chunk)) || child.pause())
  const exit = new Promise<CommandExit>((resolve) =>
    child.onExit(({ exitCode, signal = 0 }) => {
      release()
      output.end()
      const code = stoppedBy === 'timeout' ? EXIT_CODE.timeout : signal > 0 ? 128 + signal : exitCode
      if (signal > 0) stoppedBy ??= 'signal'
      resolve({ code, signal: undefined })
    }),
  )
  const onInput = (chunk: Buffer): void => {
    // Raw input has a Ctrl-C as a byte. The second one kills.
    if (process.stdin.isRaw && chunk.includes(CTRL_C)) {
      if (stoppedBy !== undefined) end('SIGKILL', 'signal')
      stoppedBy = 'signal'
    }
    child.write(decoder.decode(chunk, { stream: true }))
  }
  const onResize = (): void => child.resize(...size())
  const onTerm = (): void => end('SIGTERM', 'signal')
  const onHangUp = (): void => end('SIGHUP', 'signal')
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end('SIGTERM', 'timeout'), timeoutMs)
  const release = (): void => {
    clearTimeout(timer)
    if (process.stdin.isTTY) process.stdin.setRawMode(false)
    process.stdin.off('data', onInput).pause()
    process.stderr.off('resize', onResize)
    process.off('SIGTERM', onTerm).off('SIGHUP', onHangUp)
  }
  if (process.stdin.isTTY) process.stdin.setRawMode(true)
  process.stdin.on('data', onInput).once('end', () => child.write(END_OF_INPUT))
  process.stderr.on('resize', onResize)
  process.on('SIGTERM', onTerm).on('SIGHUP', onHangUp)
  return { output, exit, stoppedBy: () => stoppedBy, heldBy: () => [], release }
}

const shellCall = (line: string): [program: string, args: readonly string[]] =>
  process.platform === 'win32'
    ? [process.env['ComSpec'] ?? 'cmd.exe', ['/d', '/s', '/c', line]]
    : ['/bin/sh', ['-c', line]]

async function loadTerminals(): Promise<{ readonly spawn: typeof SpawnTerminal }> {
  try {
    return await import('@lydell/node-pty')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const message =
      '--pty needs @lydell/node-pty. Run: npm install @lydell/node-pty (with -g if spillway is installed globally)'
    throw new CliError('not-installed', EXIT_CODE.storage, message, { cause: error })
  }
}
