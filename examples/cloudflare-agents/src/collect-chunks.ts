/** Read all chunks into one Blob, which a Worker holds in memory only once while it writes. */
export async function collectChunks(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new Blob(parts)
}
