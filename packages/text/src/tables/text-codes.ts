const encoder = new TextEncoder()

/**
 * The UTF-16 units of a text as numbers in an array, which is read several times as fast as the text. The array is used
 * again for the next text.
 */
export class TextCodes {
  #bytes = new Uint8Array(0)
  #codes: Uint16Array = new Uint16Array(0)

  /** The units of `text`, as many as it has: what stood behind them in the text before is not seen. */
  of(text: string): Uint16Array {
    const { length } = text
    if (this.#codes.length < length) {
      this.#codes = new Uint16Array(length)
      this.#bytes = new Uint8Array(length)
    }
    // All ASCII, each unit is a byte.
    const { read, written } = encoder.encodeInto(text, this.#bytes)
    if (read === length && written === length) this.#codes.set(this.#bytes.subarray(0, length))
    else for (let at = 0; at < length; at++) this.#codes[at] = text.charCodeAt(at)
    return this.#codes.subarray(0, length)
  }
}

/** The UTF-16 units of a text as numbers, in an array of its own. */
export function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}

/** Whether a text has what a terminal does not show as it stands: escape sequences, carriage returns, backspaces. */
export function isTerminalText(text: string): boolean {
  return text.includes('\u001b') || text.includes('\r') || text.includes('\b')
}
