import { unitsWriter } from '#platform'

/** Length of a text, in UTF-16 units, up to which a loop over the units is faster than a bulk write. */
const SHORT_UNITS = 32

/** Converts text to UTF-16 units in a reused array, which is several times as fast to read as the string. */
export class TextCodes {
  #codes: Uint16Array = new Uint16Array(0)
  #write = unitsWriter(this.#codes)

  /** Return the units of `text`. The array is valid until the next call. */
  of(text: string): Uint16Array {
    return this.followedByZero(text).subarray(0, text.length)
  }

  /** Return the units of `text`, a zero, and other numbers. Faster than `of` for a short text. */
  followedByZero(text: string): Uint16Array {
    const { length } = text
    if (this.#codes.length <= length) {
      this.#codes = new Uint16Array(length + 1)
      this.#write = unitsWriter(this.#codes)
    }
    if (length > SHORT_UNITS) this.#write(text)
    else for (let at = 0; at < length; at++) this.#codes[at] = text.charCodeAt(at)
    this.#codes[length] = 0
    return this.#codes
  }
}
