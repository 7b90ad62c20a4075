import { Writable } from 'node:stream'
import { Command } from 'ioredis'

const LINE_END = Buffer.from('\r\n')
/** Below it, copying is faster than one more part to send. */
const COPIED_BYTES = 8 * 1024

/** A command whose last argument is made of parts, which are sent as they are where they are large. */
export class ValueCommand extends Command {
  readonly #parts: readonly Uint8Array[]

  constructor(name: string, args: readonly (string | number)[], parts: readonly Uint8Array[]) {
    super(name, [...args, ''], { replyEncoding: null })
    this.#parts = parts
  }

  /** Return the end of what is sent; the client writes that behind what this has written. */
  override toWritable(socket: object): string | Buffer {
    // It was given up.
    if (this.args.length === 0) return super.toWritable(socket)
    const words = [this.name, ...this.args.slice(0, -1).map(String)]
    const size = this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const sent = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')
    const head = Buffer.from(`*${words.length + 1}\r\n${sent}$${size}\r\n`)
    if (size < COPIED_BYTES || !(socket instanceof Writable)) return Buffer.concat([head, ...this.#parts, LINE_END])
    socket.cork()
    process.nextTick(() => socket.uncork())
    for (const part of [head, ...this.#parts]) if (part.byteLength > 0) socket.write(part)
    return LINE_END
  }
}
