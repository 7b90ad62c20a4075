import { createHash } from 'node:crypto'

const CONTENT_TYPES = [
  'text/plain',
  'application/json',
  'image/png',
  'text/csv; charset=utf-8',
  'application/x-made-up',
]
const MAX_BYTES = 200_000
const BLOCK = 4_096

/** Return a key whose content has this many bytes. Without a size, a key determines the size, up to 200 KB. */
export const sizedKey = (bytes: number, key: string): string => `${bytes} bytes ${key}`

/** Return content that only depends on the key, so that any process can check whether an entry is complete. */
export function soakContent(key: string): { readonly content: Uint8Array; readonly contentType: string } {
  const digest = createHash('sha256').update(key).digest()
  // Most contents are small, and some are large.
  const size = Number(/^(\d+) bytes /.exec(key)?.[1] ?? Math.floor((digest.readUInt32LE(0) / 2 ** 32) ** 4 * MAX_BYTES))
  // Each block contains its position, so that blocks cannot be confused.
  const content = Buffer.alloc(size, digest)
  for (let at = 0; at + 4 <= size; at += BLOCK) content.writeUInt32LE(at, at)
  return {
    content: new Uint8Array(content.buffer, content.byteOffset, size),
    contentType: CONTENT_TYPES[digest.readUInt8(4) % CONTENT_TYPES.length] ?? 'text/plain',
  }
}

/** Return whether retrieved content is the content that {@link soakContent} returns for the key. */
export function isSoakContent(
  key: string,
  found: { readonly content: Uint8Array; readonly contentType: string },
): boolean {
  const { content, contentType } = soakContent(key)
  return found.contentType === contentType && Buffer.compare(found.content, content) === 0
}

/** Yield the content of a key in chunks of different sizes. */
export async function* soakChunks(key: string): AsyncGenerator<Uint8Array> {
  const { content } = soakContent(key)
  const step = Math.max(7_001, Math.ceil(content.length / 50))
  for (let at = 0; at < content.length; at += step) yield content.subarray(at, at + step)
}
