import type { BodySpool, SpooledBody } from './body-spool.ts'
import { bodyTooLarge, timedChunks, type BodyTimes } from './timed-chunks.ts'

/** Bytes of a body that are held in memory while it arrives; what is more goes to the spool. */
const HELD_BYTES = 65_536

/** How a body is received. */
export interface ReceiveOptions extends BodyTimes {
  readonly maxBytes: number
  /** Absent where all is held in memory. */
  readonly spool?: BodySpool | undefined
}

/** A body that has arrived, and takes little memory until it is read. */
export interface ReceivedBody {
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
