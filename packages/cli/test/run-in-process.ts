import { Readable, Writable } from 'node:stream'

/** The exit of a process, and everything it wrote. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stdoutBytes: Buffer
  readonly stderr: string
}

/** The folder, environment, and input of a new process. */
export interface StartOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  /** Called with each chunk of standard error. */
  readonly onError?: (chunk: Buffer) => void
}

/** The settings of a command that runs in this process. */
export interface RunOptions extends StartOptions {
  /** Whether standard input, output, and error are a terminal. If so, `stdout` collects both. */
  readonly terminal?: boolean
  /** Standard input and output for a conversation, instead of `input` and the collected output. */
  readonly conversation?: { readonly stdin: Readable; readonly stdout: Writable }
}

/**
 * Return the environment of a command: the variables of this process without the settings of Spillway and npm, and
 * `env`.
 */
export function environment(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const {
    SPILLWAY_STORE: _store,
    SPILLWAY_SCOPE: _scope,
    SPILLWAY_DEBUG: _debug,
    npm_command: _npm,
    ...inherited
  } = process.env
  return { ...inherited, ...env }
}

let previous: Promise<unknown> = Promise.resolve()

/**
 * Run the command line in this process, with separate streams, environment, and working directory. Runs wait for each
 * other, because a process has only one of each. Programs that a command starts inherit the standard input of this
 * process.
 */
export function runInProcess(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const run = previous.then(() => runAlone(args, options))
  previous = Promise.allSettled([run])
  return run
}

async function runAlone(
  args: readonly string[],
  { cwd = process.cwd(), env, input = '', terminal = false, conversation, onError }: RunOptions,
): Promise<Ended> {
  // bin.ts makes the same choice.
  const { main } = await (args[0] === 'hook' ? import('../src/hook/main.ts') : import('../src/cli.ts'))
  const stdout = new CollectedOutput(terminal)
  const stderr = terminal ? stdout : new CollectedOutput(false, onError)
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false })
  Object.assign(stdin, { isTTY: terminal })
  const restore = [
    replaceStreams({ stdin, stdout, stderr, ...conversation }),
    replaceEnvironment(environment({ ...(terminal ? { TERM: 'xterm', NO_COLOR: '' } : {}), ...env })),
    replaceWorkingDirectory(cwd),
    replaceExitCode(),
  ]
  try {
    const code = await main(args)
    return { code, signal: null, stdoutBytes: stdout.bytes, stdout: String(stdout.bytes), stderr: String(stderr.bytes) }
  } finally {
    for (const each of restore) each()
  }
}

/** A stream that collects everything written to it. */
class CollectedOutput extends Writable {
  readonly isTTY: boolean
  readonly columns = 80
  readonly #chunks: Buffer[] = []
  readonly #onChunk: ((chunk: Buffer) => void) | undefined

  constructor(isTTY: boolean, onChunk?: (chunk: Buffer) => void) {
    super()
    this.isTTY = isTTY
    this.#onChunk = onChunk
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk))
    this.#onChunk?.(chunk)
    done()
  }
}

function replaceStreams(streams: {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}): () => void {
  const names = ['stdin', 'stdout', 'stderr'] as const
  const originals = names.map((name) => Object.getOwnPropertyDescriptor(process, name))
  for (const name of names) Object.defineProperty(process, name, { value: streams[name], configurable: true })
  return () => {
    for (const [index, name] of names.entries()) Object.defineProperty(process, name, originals[index] ?? {})
  }
}

/** Change the environment in place, because Node.js reads it too. Returns a function that restores it. */
function replaceEnvironment(env: NodeJS.ProcessEnv): () => void {
  const original = { ...process.env }
  const set = (values: NodeJS.ProcessEnv): void => {
    for (const name of Object.keys(process.env)) if (values[name] === undefined) delete process.env[name]
    Object.assign(process.env, values)
  }
  set(env)
  return () => set(original)
}

function replaceWorkingDirectory(cwd: string): () => void {
  const original = process.cwd()
  process.chdir(cwd)
  return () => process.chdir(original)
}

function replaceExitCode(): () => void {
  const original = process.exitCode
  process.exitCode = undefined
  return () => {
    process.exitCode = original
  }
}
