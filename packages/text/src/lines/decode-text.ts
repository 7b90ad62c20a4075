import { textEncodingOf } from './text-encoding.ts'

/** Latin text in UTF-16 that was read as UTF-8, for example a part that a shell of Windows appended to a log. */
const WIDE_PART = /(?:[^\0-\u0008\u000b\u000c\u000e-\u001f]\0){8,}/g

/**
 * Decode all of a content, or return `undefined` if it is not text.
 *
 * A byte order mark of UTF-8 is kept. In a text in UTF-8, parts in UTF-16 are decoded too, and invalid bytes become U+FFFD.
 *
 * @example
 * ```ts
 * import { decodeText } from '@spillway/core/adapter'
 *
 * console.assert(decodeText(Uint8Array.of(0xff, 0xfe, 0x68, 0, 0x69, 0)) === 'hi')
 * console.assert(decodeText(Uint8Array.of(1, 0xff, 2, 0xfe)) === undefined)
 * ```
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = textEncodingOf(bytes, true)
  if (encoding !== 'utf-8') return encoding && new TextDecoder(encoding).decode(bytes)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return text.replace(WIDE_PART, (part) => part.replaceAll('\0', ''))
}

/** Whether a text in UTF-8 has parts in UTF-16. */
export function hasWidePart(bytes: Uint8Array): boolean {
  return bytes.includes(0) && new TextDecoder().decode(bytes).search(WIDE_PART) >= 0
}
