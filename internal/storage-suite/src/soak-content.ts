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

/** A key whose content has so many bytes; without it keys decide themselves, up to 200 KB. */
export const sizedKey = (bytes: number, key: string): string => `${bytes} bytes ${key}`

/** Content that its key alone determines, so that any process can tell whether an entry is whole. */
export function soakContent(key: string): { readonly content: Uint8Array; readonly contentType: string } {
  const digest = createHash('sha256').update(key).digest()
  // Mostly small, some large.
  const size = Number(/^(\d+) bytes /.exec(key)?.[1] ?? Math.floor((digest.readUInt32LE(0) / 2 ** 32) ** 4 * MAX_BYTES))
  // Each block says where it belongs, so that no two can be mistaken for each other.
  const content = Buffer.alloc(size, digest)
  for (let at = 0; at + 4 <= size; at += BLOCK) content.writeUInt32LE(at, at)
  return {
    content: new Uint8Array(content.buffer, content.byteOffset, size),
    contentType: CONTENT_TYPES[digest.readUInt8(4) % CONTENT_TYPES.length] ?? 'text/plain',
  }
}

/** Tell whether what was retrieved is what {@link soakContent} made of the key. */
export function isSoakContent(
  key: string,
  found: { readonly content: Uint8Array; readonly contentType: string },
): boolean {
  const { content, contentType } = soakContent(key)
  return found.contentType === contentType && Buffer.compare(found.content, content) === 0
}

/** The content of a key as a stream, in pieces of odd sizes. */
export async function* soakChunks(key: string): AsyncGenerator<Uint8Array> {
  const { content } = soakContent(key)
  const step = Math.max(7_001, Math.ceil(content.length / 50))
  for (let at = 0; at < content.length; at += step) yield content.subarray(at, at + step)
}
