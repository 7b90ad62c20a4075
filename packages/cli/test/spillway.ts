import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, onTestFinished } from 'vitest'
import { environment, runInProcess, type Ended, type RunOptions, type StartOptions } from './run-in-process.ts'

export type { Ended, StartOptions } from './run-in-process.ts'

/** The entry of the command line in the sources. */
export const BIN = fileURLToPath(new URL('../src/bin.ts', import.meta.url))

/** Whether the program `script` exists, which gives a command a terminal. On macOS, its options differ. */
export const HAS_SCRIPT: boolean = process.platform === 'linux' && existsSync('/usr/bin/script')

/** Create a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Start a program. `end` resolves to its exit and everything it wrote. */
export function start(
  program: string,
  args: readonly string[],
  { cwd, env, input, onError }: StartOptions = {},
): { readonly child: ChildProcess; readonly end: Promise<Ended> } {
  const child = spawn(program, args, { cwd, env: environment(env), stdio: ['pipe', 'pipe', 'pipe'] })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk)
    onError?.(chunk)
  })
  // A process may end without reading its input: that is not a failure.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  child.stdin.end(input)
  const end = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      const stdoutBytes = Buffer.concat(stdout)
      resolve({ code, signal, stdoutBytes, stdout: stdoutBytes.toString(), stderr: Buffer.concat(stderr).toString() })
    })
  })
  return { child, end }
}

/** Run `spillway` in a separate process until it ends. */
export const spillwayProcess = (args: readonly string[], options: StartOptions = {}): Promise<Ended> =>
  start(process.execPath, [BIN, ...args], options).end

/** Commands that run in this process, and the test that started them. */
const running = { count: 0, test: '' }

/** Run `spillway` in this process until it ends. Only one run at a time. See {@link runInProcess}. */
export async function spillway(args: readonly string[], options?: RunOptions): Promise<Ended> {
  const { currentTestName: test = '' } = expect.getState()
  // A command that never ends would delay each of the other tests until its time limit.
  if (running.count > 0 && running.test !== test) throw new Error(`A command of this test still runs: ${running.test}`)
  running.test = test
  running.count++
  return await runInProcess(args, options).finally(() => running.count--)
}

/** Start one process that runs many commands, one after another. The process ends with the test file. */
export function startRunner(): typeof spillway {
  const child = fork(fileURLToPath(new URL('child-runner.ts', import.meta.url)), { serialization: 'advanced' })
  afterAll(() => void child.kill())
  let previous: Promise<unknown> = Promise.resolve()
  return (args, options = {}) => {
    const run = previous.then(async () => {
      child.send({ args, options })
      const [ended] = (await once(child, 'message')) as [Ended]
      return { ...ended, stdoutBytes: Buffer.from(ended.stdoutBytes) }
    })
    previous = Promise.allSettled([run])
    return run
  }
}

/** Store a text and return the reference. */
export async function put(text: string | Uint8Array, cwd: string, args: readonly string[] = []): Promise<string> {
  const { stdout } = await spillway(['put', '--quiet', ...args], { cwd, input: text })
  return stdout.trim()
}

/** Parse text with one JSON value per line. */
export const jsonLines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

/** Return the reference in the last line of a replacement. */
export function referenceIn(replacement: string): string {
  const reference = /\[Stored references:\]\n {2}(\w+) /.exec(replacement)?.[1]
  if (reference === undefined) throw new Error(`no reference in: ${replacement.slice(0, 2_000)}`)
  return reference
}

/** Text of numbered lines: `line 1 of the text`, … */
export const numbered = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `line ${index + 1} of the text\n`).join('')
