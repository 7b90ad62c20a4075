import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ShellAnswer, ShellRequest } from './shell-process.ts'

const PROCESS = fileURLToPath(new URL('shell-process.ts', import.meta.url))

/** The methods of the child process that are used here. */
interface Shells {
  readonly channel?: { ref(): void; unref(): void } | null | undefined
  send(request: ShellRequest): boolean
}

const waiting = new Map<number, (output: string) => void>()
let shells: Shells | undefined
let requests = 0

/**
 * Run a command in a folder, without the environment of this process. Errors are part of the output.
 *
 * A small process starts the shells, because starting a process takes longer if the parent uses much memory.
 */
export function runInShell(command: string, cwd: string): Promise<string> {
  const child = (shells ??= start())
  child.channel?.ref()
  return new Promise((resolve) => {
    const request: ShellRequest = { id: (requests += 1), command, cwd }
    waiting.set(request.id, resolve)
    child.send(request)
  })
}

function start(): Shells {
  const child = fork(PROCESS)
  child.unref()
  child.on('message', ({ id, output }: ShellAnswer) => {
    waiting.get(id)?.(output)
    waiting.delete(id)
    // An idle child does not keep this process alive.
    if (waiting.size === 0) child.channel?.unref()
  })
  return child
}
