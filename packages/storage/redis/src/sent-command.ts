import { Writable } from 'node:stream'
import { Command } from 'ioredis'

const LINE_END = Buffer.from('\r\n')
/** Below it, copying is faster than one more part to send. */
const COPIED_BYTES = 8 * 1024

/** A command that leaves with those that are sent right with it, in one system call. Its reply is a buffer. */
export class SentCommand extends Command {
  constructor(name: string, args: readonly (string | Buffer | number)[]) {
    super(name, [...args], { replyEncoding: null })
  }

  override toWritable(socket: object): string | Buffer {
    if (socket instanceof Writable) hold(socket)
    return super.toWritable(socket)
  }

  /** Have the client send something harmless where it would still send, or send again, what is reported as failed. */
  giveUp(): void {
    this.name = 'ping'
    this.args = []
  }
}

/** A command whose last argument is made of parts, which are sent as they are where they are large. */
export class ValueCommand extends SentCommand {
  readonly #parts: readonly Uint8Array[]

  constructor(name: string, args: readonly (string | number)[], parts: readonly Uint8Array[]) {
    super(name, [...args, ''])
    this.#parts = parts
  }

  /** Return the end of what is sent; the client writes that behind what this has written. */
  override toWritable(socket: object): string | Buffer {
    // It was given up.
    if (this.args.length === 0) return super.toWritable(socket)
    const words = [this.name, ...this.args.slice(0, -1).map(String)]
    const size = this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const sent = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')
    let before: Uint8Array = Buffer.from(`*${words.length + 1}\r\n${sent}$${size}\r\n`)
    if (!(socket instanceof Writable)) return Buffer.concat([before, ...this.#parts, LINE_END])
    hold(socket)
    for (const part of this.#parts) {
      if (part.byteLength < COPIED_BYTES) before = Buffer.concat([before, part])
      else {
        socket.write(before)
        before = part
      }
    }
    if (before.byteLength < COPIED_BYTES) return Buffer.concat([before, LINE_END])
    socket.write(before)
    return LINE_END
  }
}

/** Until the end of what runs now: large values of the same stream do not wait for each other. */
function hold(socket: Writable): void {
  socket.cork()
  queueMicrotask(() => socket.uncork())
}
