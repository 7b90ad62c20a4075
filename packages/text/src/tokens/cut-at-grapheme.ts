let segmenter: Intl.Segmenter | undefined

/** Units looked at on each side of a cut to begin with. */
const WINDOW_UNITS = 64

/**
 * Take at most `maxUnits` UTF-16 units from the start of a text, or from its end, without cutting inside a grapheme.
 *
 * What is returned is as long as it can be; it is empty when the first (or last) grapheme alone is longer. Only the
 * neighbourhood of the cut is looked at.
 */
export function cutAtGrapheme(text: string, maxUnits: number, fromEnd = false): string {
  const units = Math.max(0, Math.floor(maxUnits))
  if (units >= text.length) return text
  if (units === 0) return ''
  if (fromEnd) return text.slice(boundaryNear(text, text.length - units, true))
  return text.slice(0, boundaryNear(text, units, false))
}

/** The last grapheme boundary at or before `at`, or the first at or after it. */
function boundaryNear(text: string, at: number, after: boolean): number {
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at
  // Not the locale of the host: the same text is cut at the same place everywhere.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (let size = WINDOW_UNITS; ; size *= 2) {
    let start = Math.max(0, at - size)
    while (start > 0 && at - start < size * 2 && !startsGrapheme(text.charCodeAt(start))) start--
    // A window that begins inside a grapheme proves nothing: look further back.
    if (start > 0 && !startsGrapheme(text.charCodeAt(start))) continue
    const end = Math.min(text.length, at + size)
    const segment = segmenter.segment(text.slice(start, end)).containing(at - start)!
    const from = start + segment.index
    const to = from + segment.segment.length
    if (from === at) return at
    if (!after) {
      // A character that begins the window may itself belong to what stands before it.
      if (from > start || start === 0) return from
    } else if (to < end || end === text.length) return to
  }
}

/** Printable ASCII: between two of them there is always a boundary. */
function isPlain(code: number): boolean {
  return code >= 32 && code < 127
}

/** Whether a character never continues a grapheme, whatever stands before it, save for a rare prefix. */
function startsGrapheme(code: number): boolean {
  return isPlain(code) || code === 10 || (code >= 0x4e00 && code < 0xa000) || (code >= 0x3041 && code < 0x3097)
}
