/** Join parts into one array of their own; a single part is returned as it is. */
export function concatBytes(parts: readonly Uint8Array[], size: number = byteLength(parts)): Uint8Array {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}

const byteLength = (parts: readonly Uint8Array[]): number => parts.reduce((sum, part) => sum + part.byteLength, 0)
