const encoder = new TextEncoder()
/** Length from which a text is encoded, in UTF-16 units. A shorter one is read sooner unit by unit. */
const ENCODED_UNITS = 32

/** Converts text to UTF-16 units in a reused array. Reading the array is several times as fast. */
export class TextCodes {
  #bytes = new Uint8Array(0)
  #codes: Uint16Array = new Uint16Array(0)

  /** Return the units of `text`. They are valid until the next call. */
  of(text: string): Uint16Array {
    const { length } = text
    if (this.#codes.length < length) {
      this.#codes = new Uint16Array(length)
      this.#bytes = new Uint8Array(length)
    }
    // If all is ASCII, each unit is a byte.
    const encoded = length < ENCODED_UNITS ? undefined : encoder.encodeInto(text, this.#bytes)
    if (encoded?.read === length && encoded.written === length) this.#codes.set(this.#bytes.subarray(0, length))
    else for (let at = 0; at < length; at++) this.#codes[at] = text.charCodeAt(at)
    return this.#codes.subarray(0, length)
  }
}
