const LINE_BYTES = 97

/** Return text with lines of 97 bytes. Texts with different seeds differ. */
export function makeContent(size: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(size).fill(0x2e)
  for (let at = LINE_BYTES - 1; at < size; at += LINE_BYTES) bytes[at] = 0x0a
  new TextEncoder().encodeInto(`line 1 of content ${seed}`, bytes)
  return bytes
}

/** Yield a stream of `size` bytes of text in chunks of 64 KiB. */
export async function* streamContent(size: number): AsyncGenerator<Uint8Array> {
  const chunkBytes = 65_536
  for (let at = 0; at < size; at += chunkBytes) yield makeContent(Math.min(chunkBytes, size - at), at)
}
