import { HttpError } from '../app/http-error.ts'

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
