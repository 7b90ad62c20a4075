import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { ERROR_CODE, errorOf, isMessage, type Message } from '../relay/message.ts'
import type { Connection, ConnectionHandlers } from './connection.ts'
import { readId, readMessages, writeMessage } from './message-text.ts'

/** 256 MiB, half of the longest string of V8. */
const DEFAULT_MAX_MESSAGE_BYTES = 268_435_456

/** Serializers write the id at the beginning or at the end of a message. */
const ID_FIRST = /^\{"jsonrpc": ?"2\.0", ?"id": ?("[^"\\]*"|-?\d+),/
const ID_LAST = /, ?"id": ?("[^"\\]*"|-?\d+)\}\r?$/

/** Matches the start of a response, which names its result before any nested object. */
const RESPONSE = /^\{[^{]*"(?:result|error)": ?\{/

/** Largest number of bytes that the other side has not read. Beyond this number, notifications are dropped. */
const MAX_UNREAD_BYTES = 67_108_864
const MAY_BE_LOST: ReadonlySet<string | undefined> = new Set(['notifications/message', 'notifications/progress'])

/** Options of {@link StdioConnection}. */
export interface StdioConnectionOptions {
  readonly input: Readable
  readonly output: Writable
  /** Larger messages are answered with an error. Defaults to 256 MiB. */
  readonly maxMessageBytes?: number | undefined
}

/** Messages as lines of JSON over two streams, read in linear time: the stdio transport of MCP. */
export class StdioConnection implements Connection {
  readonly #input: Readable
  readonly #output: Writable
  readonly #lines: LineReader
  readonly #maxMessageBytes: number
  readonly #ended: Promise<void>
  readonly #end: () => void
  #handlers: ConnectionHandlers | undefined
  #drained: Promise<unknown> | undefined
  #closed = false

  constructor({ input, output, maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES }: StdioConnectionOptions) {
    this.#input = input
    this.#output = output
    this.#maxMessageBytes = maxMessageBytes
    ;({ promise: this.#ended, resolve: this.#end } = Promise.withResolvers<void>())
    this.#lines = new LineReader(maxMessageBytes, {
      onLine: (line) => this.#receive(line),
      onOverlong: (line) => this.#refuse(line),
    })
  }

  start(handlers: ConnectionHandlers): Promise<void> {
    this.#handlers = handlers
    this.#input.on('data', (chunk: Buffer) => this.#lines.push(chunk))
    this.#input.once('end', () => {
      this.#lines.end()
      this.#close('its output ended')
    })
    this.#input.once('close', () => this.#close('its output was closed'))
    this.#input.once('error', (error) => this.#fail(error))
    this.#output.on('error', (error) => this.#fail(error))
    return Promise.resolve()
  }

  async send(message: Message): Promise<void> {
    if (this.#closed) throw new Error('The connection is closed.')
    if (this.#output.writableLength > MAX_UNREAD_BYTES && MAY_BE_LOST.has(message.method)) return
    if (this.#output.write(`${writeMessage(message)}\n`)) return
    // All senders share one promise, because streams warn about many listeners.
    this.#drained ??= Promise.race([once(this.#output, 'drain'), this.#ended]).finally(
      () => (this.#drained = undefined),
    )
    await this.#drained
  }

  close(): Promise<void> {
    this.#close('closed')
    return Promise.resolve()
  }

  #receive(line: string): void {
    if (line.trim() === '') return
    let messages: readonly unknown[]
    try {
      messages = readMessages(line)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      // The error does not quote the line, which may be content.
      this.#handlers?.onError(
        new Error(`A line of ${line.length} characters is not JSON: servers must log to standard error.`),
      )
      return
    }
    for (const message of messages) {
      if (isMessage(message)) this.#handlers?.onMessage(message)
      else this.#handlers?.onError(new Error('A line is JSON, but not a JSON-RPC 2.0 message.'))
    }
  }

  #refuse({ head, tail, bytes }: OverlongLine): void {
    const message = `A message of ${bytes} bytes is larger than the ${this.#maxMessageBytes} allowed: raise --max-message-bytes.`
    this.#handlers?.onError(new Error(message))
    const found = ID_FIRST.exec(head) ?? ID_LAST.exec(tail)
    if (found?.[1] === undefined) return
    const answer = errorOf(readId(found[1]), ERROR_CODE.internal, message)
    if (RESPONSE.test(head)) this.#handlers?.onMessage(answer)
    else this.send(answer).catch((error: Error) => this.#handlers?.onError(error))
  }

  #fail(error: Error): void {
    this.#handlers?.onError(error)
    this.#close(error.message)
  }

  #close(reason: string): void {
    if (this.#closed) return
    this.#closed = true
    this.#end()
    this.#handlers?.onClose(reason)
  }
}

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The start and the end of a line that was too long. */
export interface OverlongLine {
  readonly head: string
  readonly tail: string
  readonly bytes: number
}

interface LineHandlers {
  readonly onLine: (line: string) => void
  /** Called with the start and end of a lost line, which may contain the id of its request. */
  readonly onOverlong: (line: OverlongLine) => void
}

const KEPT_BYTES = 512

/** Splits UTF-8 into lines in linear time. The SDKs' buffers, of up to 10 MB, copy all bytes for every chunk. */
export class LineReader {
  readonly #maxBytes: number
  readonly #handlers: LineHandlers
  readonly #rest = new GrowingBuffer()
  #overlong: { readonly head: string; tail: Buffer; bytes: number } | undefined

  constructor(maxBytes: number, handlers: LineHandlers) {
    this.#maxBytes = maxBytes
    this.#handlers = handlers
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = chunk.subarray(start, end)
      if (this.#rest.length === 0 && this.#overlong === undefined && bytes.length <= this.#maxBytes)
        this.#handlers.onLine(
          bytes.toString('utf8', 0, bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length),
        )
      else {
        this.#add(bytes)
        this.#finish()
      }
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start))
  }

  end(): void {
    if (this.#rest.length > 0 || this.#overlong !== undefined) this.#finish()
  }

  #add(bytes: Buffer): void {
    if (this.#overlong !== undefined) {
      this.#overlong.bytes += bytes.length
      this.#overlong.tail = Buffer.concat([this.#overlong.tail, bytes.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES)
      return
    }
    this.#rest.add(bytes)
    const { length } = this.#rest
    if (length <= this.#maxBytes) return
    const tail = Buffer.from(this.#rest.text(Math.max(0, length - KEPT_BYTES)))
    this.#overlong = { head: this.#rest.text(0, KEPT_BYTES), tail, bytes: length }
    this.#rest.clear()
  }

  #finish(): void {
    const overlong = this.#overlong
    this.#overlong = undefined
    if (overlong !== undefined) return this.#handlers.onOverlong({ ...overlong, tail: overlong.tail.toString('utf8') })
    const line = this.#rest.take()
    this.#handlers.onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
}

const FIRST_CAPACITY = 65_536

/** A buffer that frees its old memory at once when it grows, without waiting for garbage collection. */
export class GrowingBuffer {
  #bytes = new ArrayBuffer(0)
  length = 0

  add(bytes: Uint8Array): void {
    const needed = this.length + bytes.length
    if (needed > this.#bytes.byteLength)
      this.#bytes = this.#bytes.transfer(Math.max(needed, this.#bytes.byteLength * 2, FIRST_CAPACITY))
    new Uint8Array(this.#bytes).set(bytes, this.length)
    this.length = needed
  }

  text(start: number = 0, end: number = this.length): string {
    return Buffer.from(this.#bytes, 0, this.length).toString('utf8', start, end)
  }

  take(): string {
    const text = this.text()
    this.clear()
    return text
  }

  clear(): void {
    if (this.length === 0) return
    // Detaching frees the memory before the text is used.
    this.#bytes = this.#bytes.transfer(0)
    this.length = 0
  }
}
