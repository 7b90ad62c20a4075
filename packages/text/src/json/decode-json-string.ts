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
