/** UTF-16 units of a line that are looked at. */
const MAX_LENGTH = 240

/** A line with fewer letters outside numbers and ids is no line of its own kind. */
const FEW_LETTERS = 12

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/** What two lines have in common that differ in numbers, times and ids only. */
export interface LineShape {
  readonly hash: number
  /** Whether too little is left of the line to tell it from others. */
  readonly weak: boolean
}

/** Hash the words of a line, without those that have a digit; all of it where nothing else is left. */
export function shapeOf(text: string, start: number, end: number): LineShape {
  const last = Math.min(end, start + MAX_LENGTH)
  let hash = OFFSET
  let word = OFFSET
  let length = 0
  let letters = 0
  let hasDigit = false
  for (let at = start; at <= last; at++) {
    const code = at < last ? text.charCodeAt(at) : 32
    if (code >= 48 && code <= 57) hasDigit = true
    else if ((code | 32) >= 97 && (code | 32) <= 122) {
      word = Math.imul(word ^ code, PRIME)
      length++
    } else if (code >= 128) {
      word = Math.imul(word ^ code, PRIME)
      length++
    } else {
      if (length > 0 && !hasDigit) {
        hash = Math.imul(hash ^ word, PRIME)
        letters += length
      }
      word = OFFSET
      length = 0
      hasDigit = false
    }
  }
  if (letters > 0) return { hash: hash >>> 0, weak: letters < FEW_LETTERS }
  for (let at = start; at < last; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return { hash: hash >>> 0, weak: true }
}
