import { HttpError } from '../app/http-error.ts'

/** Bytes of a body that are held in memory while it arrives; what is more goes to the spool. */
const HELD_BYTES = 65_536

/** How a body is received. */
export interface ReceiveOptions extends BodyTimes {
  readonly maxBytes: number
  /** Absent where all is held in memory. */
  readonly spool?: BodySpool | undefined
}

/** A body that has arrived, and takes little memory until it is read. */
interface ReceivedBody {
  /** In bytes. */
  readonly size: number
  /** Return it, once. */
  read(): Promise<Uint8Array>
  /** Remove what is kept of it. Removing it twice is fine. */
  remove(): Promise<void>
}

/**
 * Take a body in as it arrives. Rejects with an `HttpError`: `too-large`, before anything is read where its length says so;
 * `request-timeout`; `overloaded` where the spool is full. Nothing is left of it then.
 */
export async function receiveBody(request: Request, options: ReceiveOptions): Promise<ReceivedBody> {
  const { maxBytes, spool } = options
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
          spooled = await spool!.open()
          for (const earlier of held.splice(0)) await spooled.write(earlier)
        }
        await spooled.write(chunk)
      }
    }
  } catch (error) {
    await remove()
    throw error
  }
  return { size, read: async () => (spooled === undefined ? joined(held, size) : await spooled.read()), remove }
}

/** Return the length that a request says its body has; 0 where it says nothing. */
export function declaredLength({ headers }: Request): number {
  const length = Number(headers.get('content-length') ?? 0)
  return Number.isNaN(length) ? 0 : length
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/** How slowly a body may arrive, in milliseconds. */
export interface BodyTimes {
  /** Without any byte. */
  readonly bodyIdleMs: number
  /** In all. */
  readonly bodyTimeoutMs: number
}

/**
 * Pass on a body as it arrives, and give up where it is too slow or too large.
 *
 * Rejects with an `HttpError`: `request-timeout`, also where the client goes away; `too-large` at the first byte too many.
 */
export async function* timedChunks(
  body: ReadableStream<Uint8Array>,
  { bodyIdleMs, bodyTimeoutMs, maxBytes }: BodyTimes & { readonly maxBytes: number },
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const end = performance.now() + bodyTimeoutMs
  let size = 0
  let isDone = false
  try {
    for (;;) {
      const left = Math.min(bodyIdleMs, end - performance.now())
      const { done, value } = await within(left, reader)
      isDone = done
      if (done) return
      size += value.length
      if (size > maxBytes) throw bodyTooLarge(maxBytes)
      yield value
    }
  } finally {
    // Not waited for: what does not come may never end either.
    if (!isDone) void Promise.allSettled([reader.cancel()])
  }
}

/** Make the error of a body over its limit. */
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
    return await Promise.race([readNext(reader), timeout])
  } finally {
    clearTimeout(timer)
  }
}

async function readNext(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read()
  } catch (cause) {
    // Whatever ended it: the rest of the body does not come.
    throw tooSlow('The request ended before its body did.', { cause })
  }
}

const tooSlow = (message: string, options: ErrorOptions = {}): HttpError =>
  new HttpError('request-timeout', message, { ...options, headers: { connection: 'close' } })

/** Where bodies are kept while they arrive, such as files: slow clients then hold no memory. */
export interface BodySpool {
  /** Make room for one body. Rejects with an `HttpError` `overloaded` where there is none. */
  open(): Promise<SpooledBody>
}

/** What has arrived of one body. */
export interface SpooledBody {
  /** Append bytes. Rejects with an `HttpError` `overloaded` where there is no room for them. */
  write(chunk: Uint8Array): Promise<void>
  /** Return all that was written. */
  read(): Promise<Uint8Array>
  /** Remove it. Removing it twice is fine. */
  remove(): Promise<void>
}
