/** Of a longer line, this much of the start and of the end makes it out. */
const START_UNITS = 800
const END_UNITS = 240

const LETTER = 1
const DIGIT = 2
const CLASSES = new Uint8Array(65_536)
CLASSES.fill(LETTER, 97, 123)
CLASSES.fill(LETTER, 65, 91)
CLASSES.fill(DIGIT, 48, 58)

const ZERO_MARK = 1
const NUMBER_MARK = 2
const MIXED_MARK = 3

/**
 * Hash a line with its numbers, and words that hold digits, left out, but for zeros: "3 failed" and "4 failed" are alike,
 * "0 failed" is not.
 */
export function lineTemplate(line: string): number {
  let hash = 5381
  let index = 0
  let end = Math.min(line.length, START_UNITS)
  while (index < end || end < line.length) {
    if (index >= end) {
      end = line.length
      index = Math.max(index, end - END_UNITS)
    }
    const code = line.charCodeAt(index)
    if (CLASSES[code] === 0) {
      hash = Math.imul(hash ^ code, 0x01000193)
      index++
      continue
    }
    let word = hash
    let mark = 0
    for (; index < end; index++) {
      const next = line.charCodeAt(index)
      const kind = CLASSES[next]
      if (kind === 0) break
      if (kind === DIGIT)
        mark = mark === 0 && word === hash ? (next === 48 ? ZERO_MARK : NUMBER_MARK) : digitAfter(mark, next)
      else if (mark !== 0) mark = MIXED_MARK
      else word = Math.imul(word ^ next, 0x01000193)
    }
    hash = mark === 0 ? word : Math.imul(hash ^ mark, 0x01000193)
  }
  return hash >>> 0
}

/** The mark of a word that goes on with a digit. */
function digitAfter(mark: number, code: number): number {
  if (mark === ZERO_MARK) return code === 48 ? ZERO_MARK : NUMBER_MARK
  return mark === NUMBER_MARK ? NUMBER_MARK : MIXED_MARK
}
