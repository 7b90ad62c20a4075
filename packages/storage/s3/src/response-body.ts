import type { Readable } from 'node:stream'

/**
 * Read a body to its end, into one piece of memory of the length that was announced. A body that ends before gives what
 * there was of it.
 *
 * @param buffer - Memory to use where it is large enough.
 */
export async function collectBody(body: unknown, length: number, buffer?: Uint8Array): Promise<Uint8Array> {
  // What is not written is not given, so that the memory need not be cleared.
  const content = buffer !== undefined && buffer.length >= length ? buffer : Buffer.allocUnsafeSlow(length)
  let filled = 0
  if (body !== undefined && body !== null)
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      content.set(chunk.subarray(0, length - filled), filled)
      filled += Math.min(chunk.length, length - filled)
    }
  return content.subarray(0, filled)
}

/** Let go of a body that nobody reads, and of its connection. */
export function discardBody(body: unknown): void {
  ;(body as Partial<Readable> | undefined)?.destroy?.()
}
