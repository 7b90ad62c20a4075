import type { Readable } from 'node:stream'

/**
 * Read a body to its end, into one piece of memory where its length was announced. A body that ends before gives what there
 * was of it.
 *
 * @param buffer - Memory to use where it is large enough.
 */
export async function collectBody(body: unknown, length: number | undefined, buffer?: Uint8Array): Promise<Uint8Array> {
  const chunks = (body ?? []) as AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  if (length === undefined) return collectUnannounced(chunks)
  // What is not written is not given, so that the memory need not be cleared.
  const content = buffer !== undefined && buffer.length >= length ? buffer : Buffer.allocUnsafeSlow(length)
  let filled = 0
  for await (const chunk of chunks) {
    content.set(chunk.subarray(0, length - filled), filled)
    filled += Math.min(chunk.length, length - filled)
  }
  return content.subarray(0, filled)
}

/** Proxies may send a body on in pieces, without its length. */
async function collectUnannounced(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const chunk of chunks) pieces.push(chunk)
  return new Uint8Array(Buffer.concat(pieces))
}

/** Let go of a body that nobody reads, and of its connection. */
export function discardBody(body: unknown): void {
  ;(body as Partial<Readable> | undefined)?.destroy?.()
}
