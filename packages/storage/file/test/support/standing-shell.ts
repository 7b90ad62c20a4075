import type { Shell } from '../../src/index.ts'
import { startShell, type ShellProgram } from './local-shell.ts'

/** Stands between what a command prints, its exit code and what it complains of. */
const END = '\u0001'
const SHELLS = 4

interface Standing {
  busy: Promise<unknown>
  run(command: string): Promise<{ exitCode: number; stdout: string; stderr: string }>
}

/**
 * Real shells that stay, of which each runs one command after the other in a subshell: what a thousand commands would take
 * otherwise is to start them.
 */
export class StandingShell implements Shell {
  readonly #shells: readonly Standing[]
  #next = 0
  /** What it was asked for. */
  readonly commands: string[] = []
  /** While it is set, every command ends as where a sandbox cannot be reached. */
  isDown = false

  constructor(program: ShellProgram = {}) {
    this.#shells = Array.from({ length: SHELLS }, () => standing(program))
  }

  async execute(command: string): Promise<{ exitCode: number; stdout: string; stderr: string }> {
    this.commands.push(command)
    // As ssh does where it has no key.
    if (this.isDown) return { exitCode: 255, stdout: '', stderr: 'ssh: identity file: No such file or directory' }
    const shell = this.#shells[(this.#next += 1) % SHELLS]
    if (shell === undefined) throw new Error('There is no shell.')
    const result = shell.busy.then(() => shell.run(command))
    shell.busy = Promise.allSettled([result])
    return await result
  }
}

function standing(program: ShellProgram): Standing {
  const child = startShell(program, ['-s'])
  child.unref()
  child.stderr.resume()
  child.stdin.write('exec 3>&1\n')
  child.stdin.on('error', () => {})
  let output = ''
  let ended: (() => void) | undefined
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    output += data
    if (data.endsWith(END) && output.split(END).length > 3) ended?.()
  })
  child.on('exit', () => ended?.())
  return {
    busy: Promise.resolve(),
    async run(command) {
      output = ''
      const done = new Promise<void>((resolve) => (ended = resolve))
      child.stdin.write(`said=$( (\n${command}\n) 2>&1 >&3 </dev/null ); printf '\\001%d\\001%s\\001' $? "$said"\n`)
      await done
      const [stdout = '', exitCode = '1', stderr = ''] = output.split(END)
      return { exitCode: Number(exitCode), stdout, stderr }
    },
  }
}
