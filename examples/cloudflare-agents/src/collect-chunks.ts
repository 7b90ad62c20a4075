/** Read chunks to their end: what a Worker writes at once, it holds in memory once. */
export async function collectChunks(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new Blob(parts)
}
