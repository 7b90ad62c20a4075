import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One pipe for everything that a command writes. */
export interface OutputPipe {
  /** The end that the command writes to, for `stdio`. Close it with {@link OutputPipe.closeWriter} after the start. */
  readonly writer: number
  readonly reader: Socket
  closeWriter(): void
}

/**
 * Open a pipe that can be standard output and standard error of one command, so that their order is exactly that in
 * which the command wrote. Returns `undefined` where the system has no `mkfifo` (Windows).
 *
 * Node.js itself gives children sockets, one for each: the order between them is lost, and a shell that opens
 * `/dev/stderr` fails on a socket. A named pipe that loses its name at once is an ordinary pipe.
 */
export function openOutputPipe(): OutputPipe | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-'))
  try {
    const path = join(folder, 'output')
    if (spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' }).status !== 0) return undefined
    // The reader first, and without waiting: opening a writer waits until there is a reader.
    const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writer = openSync(path, constants.O_WRONLY)
    const reader = new Socket({ fd: readerFd, readable: true, writable: false })
    return { writer, reader, closeWriter: () => closeSync(writer) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
