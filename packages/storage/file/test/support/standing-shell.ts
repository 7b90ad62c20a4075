import type { Shell } from '../../src/index.ts'
import { startShell, type ShellProgram } from './local-shell.ts'

/** Separates the output, the exit code, and the error output of a command. */
const END = '\u0001'
const SHELLS = 4

interface Standing {
  busy: Promise<unknown>
  run(command: string): Promise<{ exitCode: number; stdout: string; stderr: string }>
}

/**
 * Real shells that keep running. Each runs its commands in subshells, because starting a thousand shells would take too
 * long.
 */
export class StandingShell implements Shell {
  readonly #shells: readonly Standing[]
  #next = 0
  /** All commands that were run. */
  readonly commands: string[] = []
  /** While this is set, every command fails as if the sandbox were unreachable. */
  isDown = false

  constructor(program: ShellProgram = {}) {
    this.#shells = Array.from({ length: SHELLS }, () => standing(program))
  }

  async execute(command: string): Promise<{ exitCode: number; stdout: string; stderr: string }> {
    this.commands.push(command)
    // The output of ssh without its key.
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
