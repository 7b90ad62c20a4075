/** Return whether a value is a `Uint8Array`. Arrays of another realm and Node.js `Buffer`s also count. */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'

/** Copy bytes into new memory. The method `slice` of a `Buffer` would share the memory. */
export const copyBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

/** Return the same memory as a plain `Uint8Array`. Some methods of a `Buffer` behave differently. */
export const plainBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Concatenate parts into a new array. A single part is returned without a copy. */
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

/** Write bytes as hexadecimal digits in lower case. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const byteLength = (parts: readonly Uint8Array[]): number => parts.reduce((sum, part) => sum + part.byteLength, 0)
