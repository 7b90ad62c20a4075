import { createHash } from 'node:crypto'

const CONTENT_TYPES = [
  'text/plain',
  'application/json',
  'image/png',
  'text/csv; charset=utf-8',
  'application/x-made-up',
]
const MAX_BYTES = 200_000

/** Content that its key alone determines, so that any process can tell whether an entry is whole. */
export function soakContent(key: string): { readonly content: Uint8Array; readonly contentType: string } {
  const digest = createHash('sha256').update(key).digest()
  // Mostly small, some large.
  const size = Math.floor((digest.readUInt32LE(0) / 2 ** 32) ** 4 * MAX_BYTES)
  const content = new Uint8Array(size)
  for (let at = 0; at < size; at += 1) content[at] = (digest[at % 32] ?? 0) ^ (at >> 5)
  return { content, contentType: CONTENT_TYPES[digest.readUInt8(4) % CONTENT_TYPES.length] ?? 'text/plain' }
}

/** Tell whether what was retrieved is what {@link soakContent} made of the key. */
export function isSoakContent(key: string, found: { content: Uint8Array; contentType: string }): boolean {
  const { content, contentType } = soakContent(key)
  return found.contentType === contentType && Buffer.compare(found.content, content) === 0
}
