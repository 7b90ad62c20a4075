import type { BlockCodec } from './block-codec.ts'

/** Gzip (RFC 1952), by the web's compression streams, which know no levels. */
export const gzip: BlockCodec = {
  compress: async (bytes) => {
    const compressed = await through(new CompressionStream('gzip'), bytes, Infinity)
    if (compressed === undefined) throw new Error('The runtime could not compress.')
    return compressed
  },
  decompress: (bytes, maxBytes) => through(new DecompressionStream('gzip'), bytes, maxBytes),
}

/** The web has no Zstandard. */
export const zstd: BlockCodec | undefined = undefined

/** Pass bytes through a stream; `undefined` where it refuses them or gives more than `maxBytes`. */
async function through(
  { readable, writable }: CompressionStream | DecompressionStream,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const writer = writable.getWriter()
  // A refusal also rejects the reading below, which is where it is looked at.
  void Promise.allSettled([writer.write(bytes as Uint8Array<ArrayBuffer>), writer.close()])
  const reader = (readable as ReadableStream<Uint8Array>).getReader()
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      size += value.byteLength
      if (size <= maxBytes) continue
      await reader.cancel()
      return undefined
    }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
