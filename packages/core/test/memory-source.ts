import { adoptStorage } from '../src/content/adopt-storage.ts'
import { openContentSource } from '../src/content/content-source.ts'
import type { ContentSource } from '../src/content/content-source.ts'

/** Open content in memory, which is read in blocks of `blockBytes`. */
export async function memorySource(content: string | Uint8Array, blockBytes = 65_536): Promise<ContentSource> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const contentType = 'text/plain'
  const storage = adoptStorage({
    store: async () => 'memory',
    retrieve: async () => ({ content: bytes.slice(), contentType }),
    retrieveRange: async (_reference: string, { offset, length }: { offset: number; length: number }) => ({
      content: bytes.slice(offset, offset + length),
      contentType,
      size: bytes.length,
    }),
  })
  return await openContentSource(storage, 'memory', { blockBytes })
}
