import { concatBytes } from '@spillway/core/driver'
import { HttpError } from '../app/http-error.ts'

/** Size up to which a body is held in memory. Larger bodies are spooled. */
const HELD_BYTES = 65_536

export interface ReceiveOptions extends BodyTimes {
  readonly maxBytes: number
  /** Holds large bodies. Defaults to memory. */
  readonly spool?: BodySpool | undefined
  /** Identifies the sender for the limits of the spool. */
  readonly caller: string
}

interface ReceivedBody {
  readonly size: number
  read(): Promise<Uint8Array>
  remove(): Promise<void>
}

/** Receive a body. Rejects with an `HttpError`, and removes the body, if it exceeds a limit of size, time, or space. */
export async function receiveBody(request: Request, options: ReceiveOptions): Promise<ReceivedBody> {
  const { maxBytes, spool, caller } = options
  if (declaredLength(request) > maxBytes) throw bodyTooLarge(maxBytes)
  const held: Uint8Array[] = []
  let size = 0
  let spooled: SpooledBody | undefined
  const remove = async (): Promise<void> => {
    held.length = 0
    await spooled?.remove()
  }
  try {
    for await (const chunk of request.body === null ? [] : timedChunks(request.body, options)) {
      size += chunk.length
      if (spooled === undefined && (spool === undefined || size <= HELD_BYTES)) held.push(chunk)
      else {
        if (spooled === undefined) {
          spooled = await spool!.open(caller)
          for (const earlier of held.splice(0)) await spooled.write(earlier)
        }
        await spooled.write(chunk)
      }
    }
  } catch (error) {
    await remove()
    throw error
  }
  return { size, read: async () => (spooled === undefined ? concatBytes(held, size) : await spooled.read()), remove }
}

/** Return the declared length of a body; 0 if the request declares none. */
export function declaredLength({ headers }: Request): number {
  const length = Number(headers.get('content-length') ?? 0)
  return Number.isNaN(length) ? 0 : length
}

/** Time limits for the arrival of a body. */
export interface BodyTimes {
  /** The minimum rate at which the client must send. */
  readonly minBodyBytesPerSecond: number
  /** Milliseconds by which the client may be behind the minimum rate. */
  readonly bodyWindowMs: number
  /** Milliseconds for the whole body. */
  readonly bodyTimeoutMs: number
}

/** Yield the chunks of a body. @throws HttpError `request-timeout` or `too-large`. */
export async function* timedChunks(
  body: ReadableStream<Uint8Array>,
  { minBodyBytesPerSecond, bodyWindowMs, bodyTimeoutMs, maxBytes }: BodyTimes & { readonly maxBytes: number },
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const end = performance.now() + bodyTimeoutMs
  // Only the time spent waiting for the client counts, because storage may also be slow.
  let leftMs = bodyWindowMs
  let size = 0
  let isDone = false
  try {
    for (;;) {
      const begin = performance.now()
      const { done, value } = await within(Math.min(leftMs, end - begin), reader)
      isDone = done
      if (done) return
      size += value.length
      const earnedMs = (value.length / minBodyBytesPerSecond) * 1_000
      leftMs = Math.min(bodyWindowMs, leftMs - (performance.now() - begin) + earnedMs)
      if (size > maxBytes) throw bodyTooLarge(maxBytes)
      yield value
    }
  } finally {
    // Not awaited, because canceling may never finish.
    if (!isDone) void Promise.allSettled([reader.cancel()])
  }
}

export const bodyTooLarge = (maxBytes: number): HttpError =>
  new HttpError('too-large', `The body may have at most ${maxBytes} bytes.`, { headers: { connection: 'close' } })

async function within(
  milliseconds: number,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(tooSlow('The body arrived too slowly.'))
    timer = setTimeout(giveUp, Math.max(0, milliseconds))
  })
  try {
    return await Promise.race([reader.read(), timeout])
  } catch (cause) {
    // The connection ended before the whole body had arrived.
    throw cause instanceof HttpError ? cause : tooSlow('The request ended before its body did.', { cause })
  } finally {
    clearTimeout(timer)
  }
}

const tooSlow = (message: string, options: ErrorOptions = {}): HttpError =>
  new HttpError('request-timeout', message, { ...options, headers: { connection: 'close' } })

/** Holds bodies while they arrive, for example in files, so that bodies of slow clients need no memory. */
export interface BodySpool {
  /** Reserve space for one body of a caller. Rejects with an `HttpError` `overloaded` if there is no space. */
  open(caller: string): Promise<SpooledBody>
}

/** The bytes of one request body, kept outside memory. */
export interface SpooledBody {
  /** Append bytes. Rejects with an `HttpError` `overloaded` if there is no space. */
  write(chunk: Uint8Array): Promise<void>
  /** Return all bytes. */
  read(): Promise<Uint8Array>
  /** Remove the bytes. Calling `remove` again has no effect. */
  remove(): Promise<void>
}
