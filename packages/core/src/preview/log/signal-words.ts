import { GENERAL_RULES, WARNING_RULE } from './rules/general-words.ts'
import { LOG_RULES } from './rules/log-rules.ts'

/** The bit of lines that hold a mark, such as `✕`, `1)` or `src/a.c:3:5`. */
export const MARK_BIT = 1
/** The bit of a word after which a mark may stand, as a number after `level`. */
export const CHECK_BIT: number = 1 << 30

/** Words by their first letters, in slots by a hash. */
const SLOT_BITS = 11
const SLOTS = 1 << SLOT_BITS
const KEYS = new Uint32Array(SLOTS)
const BITS = new Uint32Array(SLOTS)
/** Letters of a word that count; words that begin alike up to the first of these numbers are looked at up to the others. */
const FIRST_LETTERS = 4
const MOST_LETTERS = 6
/** Set in the key of a word that only counts first in a line; other keys have 30 bits. */
const LINE_START = 2 ** 30
/** Beside the bits of some first letters: with more letters, they are other words. */
const MORE = 1 << 29
/** Bits that words share. */
const WORD_BITS = 28

let known = 0

for (const rule of [...LOG_RULES, ...GENERAL_RULES, WARNING_RULE]) bitsOfWords(rule.words)
for (const word of ['level', 'http']) BITS[learn(word)]! |= CHECK_BIT

/** The bits of the words of a rule: a line to which the rule applies has one of them. */
export function bitsOfWords(words: string): number {
  let bits = 0
  for (const word of words.split(' ')) {
    if (word === '*') {
      bits |= MARK_BIT
      continue
    }
    const slot = learn(word)
    if ((BITS[slot]! & ~MORE) === 0) BITS[slot]! |= 2 << (known++ % WORD_BITS)
    bits |= BITS[slot]! & ~MORE
  }
  return bits
}

/**
 * The bits of a word of letters.
 *
 * @param key - Its first six letters, five bits each: the last letter in the lowest bits.
 * @param letters - How many of them there are.
 */
export function wordBits(key: number, letters: number, isFirst: boolean): number {
  const extra = letters - FIRST_LETTERS
  const short = extra > 0 ? key >>> (5 * extra) : key
  let bits = BITS[find(short)]!
  if ((bits & MORE) !== 0) {
    if (extra > 0) bits |= BITS[find(extra > 1 ? key >>> 5 : key)]!
    if (extra > 1) bits |= BITS[find(key)]!
    bits &= ~MORE
  }
  if (!isFirst) return bits
  bits |= BITS[find(short + LINE_START)]!
  if ((bits & MORE) !== 0) {
    if (extra > 0) bits |= BITS[find((extra > 1 ? key >>> 5 : key) + LINE_START)]!
    if (extra > 1) bits |= BITS[find(key + LINE_START)]!
  }
  return bits & ~MORE
}

function find(key: number): number {
  let slot = Math.imul(key, 0x9e3779b1) >>> (32 - SLOT_BITS)
  while (KEYS[slot] !== 0 && KEYS[slot] !== key) slot = (slot + 1) & (SLOTS - 1)
  return slot
}

/** Make a slot for a word. */
function learn(word: string): number {
  const start = word.startsWith('^') ? LINE_START : 0
  const letters = word.replace('^', '').slice(0, MOST_LETTERS)
  let key = 0
  for (let length = 1; length <= letters.length; length++) {
    key = (key << 5) | (letters.charCodeAt(length - 1) & 31)
    if (length < FIRST_LETTERS || length === letters.length) continue
    const slot = find(key + start)
    KEYS[slot] = key + start
    BITS[slot]! |= MORE
  }
  const slot = find(key + start)
  KEYS[slot] = key + start
  return slot
}
