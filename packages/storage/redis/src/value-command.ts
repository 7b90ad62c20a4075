import { Command } from 'ioredis'

const LINE_END = Buffer.from('\r\n')

/** A command whose last argument is made of parts, which are copied only once: into what is sent. */
export class ValueCommand extends Command {
  readonly #parts: readonly Uint8Array[]

  constructor(name: string, args: readonly (string | number)[], parts: readonly Uint8Array[]) {
    super(name, [...args, ''], { replyEncoding: null })
    this.#parts = parts
  }

  override toWritable(socket: object): string | Buffer {
    // It was given up.
    if (this.args.length === 0) return super.toWritable(socket)
    const words = [this.name, ...this.args.slice(0, -1).map(String)]
    const size = this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const sent = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')
    const head = `*${words.length + 1}\r\n${sent}$${size}\r\n`
    return Buffer.concat([Buffer.from(head), ...this.#parts, LINE_END])
  }
}
