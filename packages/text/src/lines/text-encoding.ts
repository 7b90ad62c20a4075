import { findBytes } from '#platform'

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'
const SNIFFED_BYTES = 8_192
/** Characters that are rare in text: controls without effect in terminals, and runs of NUL. A run counts as one character. */
const CONTROLS = /\0+|[\u0001-\u0006\u000e-\u001a\u001c-\u001f]/g
/** Characters that do not occur in UTF-16 text, but in other data that is decoded as UTF-16. */
const UNASSIGNED = /[\ufffd\p{Cn}\p{Co}]|[\u0007\u0008]/gu
/** Largest share of control characters in text in which they separate values, for example file names. */
const MAX_SEPARATORS = 0.3
const MAX_SEPARATOR_KINDS = 4
/** Largest share of control characters in text of an unknown encoding, or in UTF-16 without a byte order mark. */
const MAX_STRAY = 0.02
/** Largest share of invalid UTF-8 in a text. */
const MAX_INVALID = 0.02
/** Largest share of impossible characters in UTF-16 with a byte order mark. */
const MAX_MARKED = 0.1
/** Smallest share of characters with a NUL byte in UTF-16 text. Latin letters, digits and blanks have a NUL byte. */
const MIN_WIDE = 0.05

/**
 * Detect the encoding of a text from its start. Returns `undefined` for binary content. Damaged UTF-8 and single-byte
 * encodings count as UTF-8. If `isDeclared`, all valid UTF-8 is accepted, with any control characters.
 */
export function textEncodingOf(bytes: Uint8Array, isDeclared = false): TextEncoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return isWideText(bytes, 'utf-16le', MAX_MARKED) ? 'utf-16le' : undefined
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return isWideText(bytes, 'utf-16be', MAX_MARKED) ? 'utf-16be' : undefined
  // A log may begin with many NULs if it was truncated while a process wrote to it.
  let nuls = 0
  while (bytes[nuls] === 0) nuls++
  const start = nuls === bytes.length ? bytes : bytes.subarray(nuls - (nuls % 2))
  if (isNarrowText(start)) return 'utf-8'
  const wide = (['utf-16le', 'utf-16be'] as const).find(
    (encoding) => hasWideBytes(start, encoding) && isWideText(start, encoding, MAX_STRAY),
  )
  return wide ?? (isDeclared && invalidShare(decodeStart(start)) <= MAX_INVALID ? 'utf-8' : undefined)
}

function isNarrowText(bytes: Uint8Array): boolean {
  const text = decodeStart(bytes)
  const found = text.match(CONTROLS) ?? []
  const controls = share(text, CONTROLS)
  // A single control character never decides, even in a short text.
  if (controls <= MAX_STRAY || found.join('').length <= 1) return true
  const kinds = new Set(found.map(([control]) => control))
  return controls <= MAX_SEPARATORS && kinds.size <= MAX_SEPARATOR_KINDS && invalidShare(text) <= MAX_INVALID
}

function isWideText(bytes: Uint8Array, encoding: TextEncoding, limit: number): boolean {
  const text = decodeStart(bytes, encoding)
  return share(text, CONTROLS) + share(text, UNASSIGNED) <= limit
}

const decodeStart = (bytes: Uint8Array, encoding: TextEncoding = 'utf-8'): string =>
  new TextDecoder(encoding).decode(bytes.subarray(0, SNIFFED_BYTES), { stream: true })

const invalidShare = (text: string): number => share(text, /\ufffd/g)

/** Whether the high bytes of characters are NUL, and almost no other bytes are. */
function hasWideBytes(bytes: Uint8Array, encoding: TextEncoding): boolean {
  const high = encoding === 'utf-16le' ? 1 : 0
  const counts = [0, 0]
  const end = Math.min(bytes.length, SNIFFED_BYTES)
  for (let at = 0; at < end; at++) if (bytes[at] === 0) counts[at % 2]!++
  return counts[high]! >= (MIN_WIDE * end) / 2 && counts[1 - high]! <= MIN_WIDE * counts[high]!
}

function share(text: string, pattern: RegExp): number {
  let count = 0
  let units = 0
  for (const [found] of text.matchAll(pattern)) {
    count++
    units += found.length
  }
  return count / Math.max(1, text.length - units + count)
}

/** Matches Latin text in UTF-16 that was decoded as UTF-8. For example, a Windows shell may append this to a log. */
const WIDE_PART = /(?:[^\0-\u0008\u000b\u000c\u000e-\u001f]\0){8,}/g

/**
 * Decode a whole content. Returns `undefined` if the content is not text. A UTF-8 byte order mark is kept. Parts in
 * UTF-16 inside a UTF-8 text are decoded, too. Invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = textEncodingOf(bytes, true)
  if (encoding !== 'utf-8') return encoding && new TextDecoder(encoding).decode(bytes)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return text.replace(WIDE_PART, (part) => part.replaceAll('\0', ''))
}

/** Return whether a UTF-8 text contains parts in UTF-16. */
export function hasWidePart(bytes: Uint8Array): boolean {
  return findBytes(bytes, Uint8Array.of(0), 0) >= 0 && new TextDecoder().decode(bytes).search(WIDE_PART) >= 0
}

/** Removes NULs of UTF-16 and padding for previews. A NUL between two values becomes a blank. */
export class NulFilter {
  #before = ''
  #held = ''

  push(piece: string): string {
    const text = this.#before + this.#held + piece
    const from = this.#before.length
    const end = text.slice(-2).includes('\0') ? Math.max(from, text.length - 2) : text.length
    this.#before = text.slice(Math.max(0, end - 2), end)
    this.#held = text.slice(end)
    return replaced(text, from, end)
  }

  finish(): string {
    return replaced(this.#before + this.#held, this.#before.length)
  }
}

function replaced(text: string, from: number, end: number = text.length): string {
  const part = text.slice(from, end)
  if (!part.includes('\0')) return part
  return part.replace(/\0/g, (_nul, at: number) => (isWide(text, from + at) ? '' : ' '))
}

const isWide = (text: string, at: number): boolean => text[at - 2] === '\0' || text[at + 2] === '\0'
