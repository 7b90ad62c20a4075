/** Starts the shells of `run-in-shell.ts`. */
import { execFile } from 'node:child_process'

const TIMEOUT_MS = 10_000

/** A command to run. */
export interface ShellRequest {
  readonly id: number
  readonly command: string
  readonly cwd: string
}

/** The whole output of the command. */
export interface ShellAnswer {
  readonly id: number
  readonly output: string
}

process.on('message', ({ id, command, cwd }: ShellRequest) => {
  const options = {
    cwd,
    timeout: TIMEOUT_MS,
    maxBuffer: 1 << 28,
    env: { PATH: process.env['PATH'], HOME: cwd, LC_ALL: 'C.UTF-8' },
  }
  execFile('bash', ['--norc', '--noprofile', '-c', command], options, (error, stdout, stderr) => {
    const ended = error?.killed === true ? `\nThe command was ended after ${TIMEOUT_MS} ms.` : ''
    process.send?.({ id, output: `${stdout}${stderr}${ended}` } satisfies ShellAnswer)
  })
})
