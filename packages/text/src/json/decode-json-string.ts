const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/**
 * Return the text of a JSON string given as bytes with its quotes.
 *
 * Nothing is refused: invalid UTF-8 becomes U+FFFD, a line end or a control character stays as it is, and an unknown escape
 * stands for the character after its backslash.
 */
export function decodeJsonString(bytes: Uint8Array): string {
  const text = decoder.decode(bytes.subarray(1, -1))
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:u([\da-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, character: string) =>
    hex === undefined ? (SIMPLE[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const QUOTE = 34
const BACKSLASH = 92
const encoder = new TextEncoder()

/** A key to look for among keys that stand in JSON as bytes, most of which need not be decoded. */
export class JsonName {
  readonly text: string
  readonly #bytes: Uint8Array
  /** Whether invalid UTF-8 may stand for it. */
  readonly #hasReplacement: boolean

  constructor(text: string) {
    this.text = text
    this.#bytes = encoder.encode(text)
    this.#hasReplacement = text.includes('\uFFFD')
  }

  /** Tell whether the string that begins with its quote at `start` is this name; it must end within `bytes`. */
  stands(bytes: Uint8Array, start: number): boolean {
    const name = this.#bytes
    let same = 0
    while (same < name.length && bytes[start + 1 + same] === name[same]) same++
    if (same === name.length && bytes[start + 1 + same] === QUOTE) return true
    // An escape may stand where both differ, or a quote of the name where the string ends.
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
