/** Number of UTF-16 units of a word that are compared. */
const LONGEST = 24
/** Characters of words: letters, digits, `_`, and the first or last characters of some keywords. */
const IN_WORD = new Uint8Array(128)
for (const unit of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@#!') IN_WORD[unit.charCodeAt(0)] = 1

export const NO_WORD = 0

/** Returns the hash of a word, so that words are compared without creating strings. */
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

export function unitsOf(text: string): ReadonlySet<number> {
  return new Set(text.split('').map((unit) => unit.charCodeAt(0)))
}

/** `words` must be separated by spaces. */
export function wordHashes(words: string): ReadonlySet<number> {
  return new Set(
    words
      .split(' ')
      .filter(Boolean)
      .map((word) => wordHash(word, 0, word.length)),
  )
}
