import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Shell } from '../../src/index.ts'

/** Settings to start a shell. */
export interface ShellProgram {
  /** The program and its first arguments. Defaults to `sh`. */
  readonly program?: readonly string[] | undefined
  /** Search path of the shell's tools. Defaults to the path of this process. */
  readonly path?: string | undefined
  readonly uid?: number | undefined
}

/** Start a shell, or one command in a shell. */
export function startShell(
  { program = ['sh'], path, uid }: ShellProgram,
  options: readonly string[],
): ChildProcessWithoutNullStreams {
  const [file = 'sh', ...parameters] = program
  const env = path === undefined ? process.env : { ...process.env, PATH: path }
  return spawn(file, [...parameters, ...options], { env, uid })
}

/** A real shell of this machine. As in a sandbox, each command starts a new shell. */
export class LocalShell implements Shell {
  readonly #program: ShellProgram

  constructor(program: ShellProgram = {}) {
    this.#program = program
  }

  async execute(command: string): Promise<{ exitCode: number; stdout: string; stderr: string }> {
    const child = startShell(this.#program, ['-c', command])
    const ended = new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve(code ?? 1))
    })
    const [exitCode, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
    return { exitCode, stdout, stderr }
  }
}

/** The shells of this machine, each with its own tools. */
export function localShells(): (readonly [string, ShellProgram])[] {
  const shells: (readonly [string, ShellProgram])[] = [['sh', {}]]
  if (has('bash')) shells.push(['bash', { program: ['bash'] }])
  const busybox = has('busybox')
  if (busybox !== undefined) {
    const tools = mkdtempSync(join(tmpdir(), 'spillway-busybox-'))
    const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n')
    for (const applet of applets) symlinkSync(busybox, join(tools, applet))
    shells.push(['BusyBox', { program: [busybox, 'ash'], path: tools }])
  }
  return shells
}

function has(program: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()
  } catch (error) {
    if ((error as { status?: unknown }).status !== 127) throw error
    return undefined
  }
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
