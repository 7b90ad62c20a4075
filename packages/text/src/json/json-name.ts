import { decodeJsonString } from './decode-json-string.ts'

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
