/** Content in chunks of any size, and the number of bytes that were read so far. */
export interface ChunkedSource {
  readonly contentType: string
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
  blocks(start?: number, end?: number): AsyncGenerator<Uint8Array>
  readonly bytesRead: () => number
}

/** Split a text or bytes into chunks. */
export function chunkedSource(
  content: string | Uint8Array,
  { chunkBytes = 65_536, contentType = 'application/json' } = {},
): ChunkedSource {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  let given = 0
  const part = (start: number, end: number): Uint8Array => {
    const slice = bytes.subarray(start, end)
    given += slice.length
    return slice
  }
  return {
    contentType,
    size: bytes.length,
    bytesRead: () => given,
    read: async (offset, length) => part(offset, offset + length),
    async *blocks(start = 0, end = bytes.length) {
      for (let at = start; at < end; at += chunkBytes) yield part(at, Math.min(end, at + chunkBytes))
    },
  }
}
