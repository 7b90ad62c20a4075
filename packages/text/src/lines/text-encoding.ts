/** How the bytes of a text are to be decoded. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** Bytes that are looked at. */
const SNIFFED_BYTES = 8_192
/** Characters that texts rarely have: controls that no terminal acts on, and runs of NUL, each of them counted once. */
const CONTROLS = /\0+|[\u0001-\u0006\u000e-\u001a\u001c-\u001f]/g
/** Characters that a text in UTF-16 does not have: they come from decoding something else. */
const UNASSIGNED = /[\ufffd\p{Cn}\p{Co}]|[\u0007\u0008]/gu
/** Values that controls separate, such as file names, have up to this share of them, and up to so many kinds. */
const MAX_SEPARATORS = 0.3
const MAX_SEPARATOR_KINDS = 4
/** Text in an unknown encoding, or in UTF-16 without a mark, has up to this share of controls. */
const MAX_STRAY = 0.02
/** Up to this share of what is not UTF-8 stands in a text that is. */
const MAX_INVALID = 0.02
/** Text in UTF-16 that begins with a mark has up to this share of what no text has. */
const MAX_MARKED = 0.1
/** In UTF-16, NUL is one byte of this share of the characters at least: those of Latin letters, digits and blanks. */
const MIN_WIDE = 0.05

/**
 * Tell by the beginning of some content how its text is encoded: by a byte order mark, else by what its bytes decode to.
 *
 * Text may have some NULs and other controls, and its UTF-8 may be damaged; text in other encodings of single bytes
 * counts as UTF-8. Returns `undefined` for binary content.
 *
 * @param isDeclared - Whether the content is declared to be text: then valid UTF-8 is, whatever controls it has.
 */
export function textEncodingOf(bytes: Uint8Array, isDeclared = false): TextEncoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return isWideText(bytes, 'utf-16le', MAX_MARKED) ? 'utf-16le' : undefined
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return isWideText(bytes, 'utf-16be', MAX_MARKED) ? 'utf-16be' : undefined
  // A log that was emptied while a process wrote to it may begin with many NULs.
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
  // No single byte decides, however short the text is.
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

/** Whether NULs stand where the high bytes of characters do, and hardly any elsewhere. */
function hasWideBytes(bytes: Uint8Array, encoding: TextEncoding): boolean {
  const high = encoding === 'utf-16le' ? 1 : 0
  const counts = [0, 0]
  const end = Math.min(bytes.length, SNIFFED_BYTES)
  for (let at = 0; at < end; at++) if (bytes[at] === 0) counts[at % 2]!++
  return counts[high]! >= (MIN_WIDE * end) / 2 && counts[1 - high]! <= MIN_WIDE * counts[high]!
}

/** The share of what a pattern finds in a text, with each run that it finds taken for one character. */
function share(text: string, pattern: RegExp): number {
  let count = 0
  let units = 0
  for (const [found] of text.matchAll(pattern)) {
    count++
    units += found.length
  }
  return count / Math.max(1, text.length - units + count)
}

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

/**
 * Return a text as it is previewed: NULs that alternate with other characters, as in Latin text in UTF-16 that was read as
 * UTF-8, and those that pad a value are left out, and a NUL between two values is a blank.
 */
export function withoutNuls(text: string): string {
  return replaced(text, 0, text.length)
}

/** Does as {@link withoutNuls} with a text that arrives in pieces: the result does not depend on how it was split. */
export class NulFilter {
  /** Up to two characters that were returned, as they came: they tell about the next NULs. */
  #before = ''
  /** Up to two characters that wait for those that follow them. */
  #held = ''

  /** Return what is certain of the text up to now. */
  push(piece: string): string {
    const text = this.#before + this.#held + piece
    const from = this.#before.length
    const end = text.slice(-2).includes('\0') ? Math.max(from, text.length - 2) : text.length
    this.#before = text.slice(Math.max(0, end - 2), end)
    this.#held = text.slice(end)
    return replaced(text, from, end)
  }

  /** Return the rest. */
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
