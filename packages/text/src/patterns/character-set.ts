/**
 * A set of UTF-16 units, or of code points with the flag `u`, and of {@link TEXT_EDGE}: ranges, both ends included, in
 * ascending order, no two of which touch.
 */
export type CharacterSet = readonly (readonly [first: number, last: number])[]

/** The greatest code point. */
const LAST_CODE_POINT = 0x10ffff
/** Stands for the end of a line, towards which is matched, as if it were a character. */
const EDGE = LAST_CODE_POINT + 1

/** The set of nothing. */
export const NO_CHARACTER: CharacterSet = []
/** All characters, without {@link TEXT_EDGE}. */
export const EVERY_CHARACTER: CharacterSet = [[0, LAST_CODE_POINT]]
/** The end of a line, towards which is matched, as if it were a character. */
export const TEXT_EDGE: CharacterSet = [[EDGE, EDGE]]
/** What `\d` matches. */
export const DIGITS: CharacterSet = [[0x30, 0x39]]
/** What `\w` matches, without `i` and `u` together. */
export const WORD_CHARACTERS: CharacterSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]
/** What `\s` matches. */
export const SPACES: CharacterSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

/** Return the characters of any of some sets. */
export function unionOf(...sets: readonly CharacterSet[]): CharacterSet {
  const filled = sets.filter((set) => set.length > 0)
  if (filled.length < 2) return filled[0] ?? NO_CHARACTER
  const union: [number, number][] = []
  for (const [first, last] of filled.flat().toSorted((a, b) => a[0] - b[0])) {
    const before = union.at(-1)
    if (before === undefined || before[1] + 1 < first) union.push([first, last])
    else before[1] = Math.max(before[1], last)
  }
  return union
}

/** Return all characters that are not in a set; {@link TEXT_EDGE} is no character. */
export function complementOf(set: CharacterSet): CharacterSet {
  const complement: [number, number][] = []
  let next = 0
  for (const [first, last] of set) {
    if (next < first) complement.push([next, Math.min(first - 1, LAST_CODE_POINT)])
    next = last + 1
  }
  if (next <= LAST_CODE_POINT) complement.push([next, LAST_CODE_POINT])
  return complement
}

/** Return whether two sets have nothing in common. */
export function areDisjoint(one: CharacterSet, other: CharacterSet): boolean {
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    const [first, last] = one[i]!
    const [otherFirst, otherLast] = other[j]!
    if (last < otherFirst) i++
    else if (otherLast < first) j++
    else return false
  }
  return true
}

/** Return how many characters a set has. */
export function sizeOf(set: CharacterSet): number {
  return set.reduce((size, [first, last]) => size + last - first + 1, 0)
}

/** Return whether a set has a character. */
export function includesCharacter(set: CharacterSet, character: number): boolean {
  return !areDisjoint(set, [[character, character]])
}
