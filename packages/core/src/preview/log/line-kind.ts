import { escapeEnd } from '../escape-end.ts'

const LETTER = 1
const DIGIT = 2
const BLANK = 3
const ESCAPE = 4

const CLASSES = new Uint8Array(65_536)
CLASSES.fill(LETTER, 97, 123)
CLASSES.fill(LETTER, 65, 91)
CLASSES.fill(DIGIT, 48, 58)
for (const code of [9, 11, 12, 13, 32, 0xa0, 0xfeff]) CLASSES[code] = BLANK
CLASSES[27] = ESCAPE

/** Marks that test runners and tools put before what failed. */
const MARKS = new Set(['✗', '✘', '✕', '✖', '❌', '⨯', '●', '⚠'].map((mark) => mark.charCodeAt(0)))

/** Words at the start of a line that make out its kind. */
const KIND_WORDS = 3
const KIND_UNITS = 48

/** The kind of a line of blanks. */
export const BLANK_LINE = 0

/** Whether a line of this kind begins in red, or with a mark of failure. */
export function isMarked(kind: number): boolean {
  return (kind & 2) !== 0
}

/**
 * Hash the first words of a line, with numbers as one and times left out: lines that a program prints in the same place
 * mostly have the same kind, whatever they speak of. A line of blanks has kind 0.
 */
export function lineKind(text: string, start: number, end: number): number {
  let limit = end - start > KIND_UNITS ? start + KIND_UNITS : end
  let hash = 5381
  let words = 0
  let colons = 0
  let blank = true
  let marked = 0
  let index = start
  while (index < limit && words < KIND_WORDS) {
    const code = text.charCodeAt(index)
    const kind = CLASSES[code]!
    if (kind === LETTER) {
      blank = false
      const from = index
      while (++index < limit && CLASSES[text.charCodeAt(index)] === LETTER);
      // A word counts by its first two letters, its last one and its length.
      const letters =
        code + (text.charCodeAt(from + 1) << 8) + (text.charCodeAt(index - 1) << 16) + ((index - from) << 24)
      hash = Math.imul(hash ^ letters, 0x01000193) ^ (hash >>> 15)
      words++
    } else if (kind === DIGIT) {
      blank = false
      while (++index < limit && CLASSES[text.charCodeAt(index)] === DIGIT);
      if (text.charCodeAt(index) === 58) colons++
      hash = Math.imul(hash ^ 7, 0x01000193)
    } else if (kind === BLANK) {
      // Two colons in a word of numbers were a time: the line begins after it.
      if (colons >= 2) {
        words = 0
        hash = 5381
        limit = end - index > KIND_UNITS ? index + KIND_UNITS : end
      }
      colons = 0
      // Indentation makes up much of JSON and code.
      while (++index < limit && text.charCodeAt(index) === 32);
    } else if (kind === ESCAPE) {
      const after = escapeEnd(text, index, end)
      if (isRed(text, index, after)) marked = 2
      index = after
    } else {
      blank = false
      if (code > 127 && MARKS.has(code)) marked = 2
      hash = Math.imul(hash ^ code, 0x01000193)
      index++
    }
  }
  if (blank && (limit === end || text.slice(index, end).trim() === '')) return BLANK_LINE
  return (hash & ~3) | 1 | marked
}

/** Whether an escape sequence sets red as the colour of letters: parameter 31 or 91. */
function isRed(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(end - 1) !== 109) return false
  for (let index = start + 2; index < end - 1; index++) {
    const code = text.charCodeAt(index)
    const before = text.charCodeAt(index - 1)
    const after = text.charCodeAt(index + 2)
    if ((code === 51 || code === 57) && (before === 91 || before === 59) && text.charCodeAt(index + 1) === 49) {
      if (after === 109 || after === 59) return true
    }
  }
  return false
}
