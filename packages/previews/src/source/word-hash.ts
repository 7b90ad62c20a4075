/** Longest word that is told apart from longer ones, in UTF-16 units. */
const LONGEST = 24

/** Units of words: letters, digits, `_`, and what keywords of some languages begin or end with. */
const IN_WORD = new Uint8Array(128)
for (const unit of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@#!') IN_WORD[unit.charCodeAt(0)] = 1

/** The hash of no word. */
export const NO_WORD = 0

/** Hash the word that begins at an offset of a text, so that words are compared without a string for each. */
export function wordHash(text: string, start: number, end: number): number {
  const last = Math.min(end, start + LONGEST)
  let hash = NO_WORD
  for (let at = start; at < last; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 127 || IN_WORD[unit] === 0) break
    hash = (Math.imul(hash, 31) + unit) | 0
  }
  return hash
}

/** The UTF-16 units of a text. */
export function unitsOf(text: string): ReadonlySet<number> {
  return new Set(text.split('').map((unit) => unit.charCodeAt(0)))
}

/** The hashes of words that are separated by blanks. */
export function wordHashes(words: string): ReadonlySet<number> {
  return new Set(
    words
      .split(' ')
      .filter(Boolean)
      .map((word) => wordHash(word, 0, word.length)),
  )
}
