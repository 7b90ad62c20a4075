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
