let segmenter: Intl.Segmenter | undefined

const WINDOW_UNITS = 64

/**
 * Return at most `maxUnits` UTF-16 units from the start or the end of a text, without splitting a grapheme. Returns an
 * empty text if the first grapheme is longer than `maxUnits`. Only text near the cut is read.
 */
export function cutAtGrapheme(text: string, maxUnits: number, fromEnd = false): string {
  const units = Math.max(0, Math.floor(maxUnits))
  if (units >= text.length) return text
  if (units === 0) return ''
  if (fromEnd) return text.slice(boundaryNear(text, text.length - units, true))
  return text.slice(0, boundaryNear(text, units, false))
}

/** Cut a text like {@link cutAtGrapheme}. A text that was cut ends with `…`, in addition to `maxUnits`. */
export function cutWithMark(text: string, maxUnits: number): string {
  const cut = cutAtGrapheme(text, maxUnits)
  return cut.length < text.length ? `${cut}…` : text
}

function boundaryNear(text: string, at: number, after: boolean): number {
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at
  // With a fixed locale, a text is cut at the same position on every host.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (let size = WINDOW_UNITS; ; size *= 2) {
    let start = Math.max(0, at - size)
    while (start > 0 && at - start < size * 2 && !startsGrapheme(text.charCodeAt(start))) start--
    // A window that begins inside a grapheme is inconclusive, so a larger window is used.
    if (start > 0 && !startsGrapheme(text.charCodeAt(start))) continue
    const end = Math.min(text.length, at + size)
    const segment = segmenter.segment(text.slice(start, end)).containing(at - start)!
    const from = start + segment.index
    const to = from + segment.segment.length
    if (from === at) return at
    if (!after) {
      // The first character of the window may belong to the text before it.
      if (from > start || start === 0) return from
    } else if (to < end || end === text.length) return to
  }
}

/** Whether a character is printable ASCII. There is always a grapheme boundary between two such characters. */
function isPlain(code: number): boolean {
  return code >= 32 && code < 127
}

/** Whether a character starts a grapheme. Rare prefixes are ignored. */
function startsGrapheme(code: number): boolean {
  return isPlain(code) || code === 10 || (code >= 0x4e00 && code < 0xa000) || (code >= 0x3041 && code < 0x3097)
}
