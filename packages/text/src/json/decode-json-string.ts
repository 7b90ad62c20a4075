const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Decode a JSON string from bytes with its quotes. Invalid UTF-8 becomes U+FFFD. The function never throws. */
export function decodeJsonString(bytes: Uint8Array): string {
  return decodeEscapes(decoder.decode(bytes.subarray(1, -1)))
}

/** Decode the escapes of JSON (RFC 8259, section 7). An unknown escape becomes the character after its backslash. */
export function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:u([\da-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, character: string) =>
    hex === undefined ? (SIMPLE[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const QUOTE = 34
const BACKSLASH = 92
const encoder = new TextEncoder()

/** A key to compare with encoded keys of JSON. Most encoded keys are compared without decoding them. */
export class JsonName {
  readonly text: string
  readonly #bytes: Uint8Array
  readonly #hasReplacement: boolean

  constructor(text: string) {
    this.text = text
    this.#bytes = encoder.encode(text)
    this.#hasReplacement = text.includes('\uFFFD')
  }

  stands(bytes: Uint8Array, start: number): boolean {
    const name = this.#bytes
    let same = 0
    while (same < name.length && bytes[start + 1 + same] === name[same]) same++
    if (same === name.length && bytes[start + 1 + same] === QUOTE) return true
    // The string differs from the name. If the string has an escape, or the name has U+FFFD, compare it decoded.
    let end = start + 1
    let isPlain = !this.#hasReplacement
    for (; end < bytes.length && bytes[end] !== QUOTE; end++) {
      if (bytes[end] !== BACKSLASH) continue
      isPlain = false
      end++
    }
    return !isPlain && decodeJsonString(bytes.subarray(start, end + 1)) === this.text
  }
}
