import { GENERAL_RULES, WARNING_RULE } from './rules/general-words.ts'
import type { LineRule } from './rules/line-rule.ts'
import { LOG_RULES } from './rules/log-rules.ts'

/** Every rule, those of tools first, the most telling of them before others. */
export const ALL_RULES: readonly LineRule[] = [...LOG_RULES, ...GENERAL_RULES, WARNING_RULE]
/** The index of the first rule that no tool has to itself, and of that on warnings. */
export const FIRST_GENERAL: number = LOG_RULES.length
export const WARNING: number = ALL_RULES.length - 1

/** Sets of rules are written as so many numbers, of which each bit is a rule: the first in the lowest bit of the first. */
export const RULE_SETS = 4
export const SET_BITS = 31
if (ALL_RULES.length > RULE_SETS * SET_BITS) throw new RangeError('More rules than sets of them have bits.')

/** A word that stands for a mark, and the two after which a number may be one: see {@link LineRule.words}. */
export const MARK = 1
export const CHECKED = 2

/** Words by their first letters, in slots by a hash. */
const SLOT_BITS = 11
const KEYS = new Uint32Array(1 << SLOT_BITS)
const WORDS = new Uint16Array(1 << SLOT_BITS)
/** Letters of a word that count; words that begin alike up to the first of these numbers are looked at up to the others. */
const FIRST_LETTERS = 4
const MOST_LETTERS = 6
/** Set in the key of a word that only counts first in a line; other keys have 30 bits. */
const LINE_START = 2 ** 30

/** Whether any word begins with three letters: five bits each. */
const STARTS = new Uint8Array(1 << 15)
/** The rules that each word, by its number, calls for. */
const RULES_OF: number[] = Array<number>(2_048 * RULE_SETS).fill(0)

let known = CHECKED
const numbers = new Map<string, number>()
for (const [index, { words }] of ALL_RULES.entries()) {
  for (const word of words.split(' ')) addRule(word === '*' ? MARK : numberOf(word), index)
}
for (const word of ['level', 'http']) WORDS[slotOf(word)] = CHECKED
for (const [word, number] of numbers) {
  // What holds for `fail` holds for `failed`.
  const start = word.startsWith('^') ? 1 : 0
  for (let letters = FIRST_LETTERS; letters < word.length - start; letters++) {
    const shorter = numbers.get(word.slice(0, start + letters))
    if (shorter === undefined) continue
    for (let set = 0; set < RULE_SETS; set++) RULES_OF[number * RULE_SETS + set]! |= rulesOf(shorter, set)
  }
}

/** What stands after `level` or `HTTP` where that tells something. */
const CHECKS = ['level"? ?[:=] ?"?[56]0', 'http/\\d(?:\\.\\d)?" 5']

/** Matches where a telling word may stand, in any case, and inside longer words too. */
export function tellingPattern(): RegExp {
  const letters = [...numbers.keys()].filter((word) => !word.startsWith('^'))
  const stems = letters.filter((word) => !letters.some((other) => other !== word && word.startsWith(other)))
  return new RegExp([...stems.toSorted(), ...CHECKS].join('|'), 'gi')
}

/** Whether a telling word of three letters or more begins with these, given in any case. */
export function isTellingStart(first: number, second: number, third: number): boolean {
  return STARTS[((first & 31) << 10) | ((second & 31) << 5) | (third & 31)] === 1
}

/**
 * The number of a telling word, or 0 of any other.
 *
 * @param key - Its first six letters, five bits each: the last letter in the lowest bits.
 * @param letters - How many of them there are.
 * @param isFirst - Whether to look among the words that only count first in a line.
 */
export function tellingWord(key: number, letters: number, isFirst: boolean): number {
  const start = isFirst ? LINE_START : 0
  const more = letters - FIRST_LETTERS
  const slot = find((more > 0 ? key >>> (5 * more) : key) + start)
  if (KEYS[slot] === 0) return 0
  return (
    (more > 0 ? WORDS[find(key + start)]! : 0) || (more > 1 ? WORDS[find((key >>> 5) + start)]! : 0) || WORDS[slot]!
  )
}

/** The rules of a word: the set of the given index. */
export function rulesOf(word: number, set: number): number {
  return RULES_OF[word * RULE_SETS + set]!
}

/** The key of a word that stands in a text: its first letters, of which there are at most so many. */
export function keyAt(text: string, from: number, letters: number): number {
  let key = 0
  for (let index = 0; index < letters && index < MOST_LETTERS; index++)
    key = (key << 5) | (text.charCodeAt(from + index) & 31)
  return key
}

function find(key: number): number {
  let slot = Math.imul(key, 0x9e3779b1) >>> (32 - SLOT_BITS)
  while (KEYS[slot] !== 0 && KEYS[slot] !== key) slot = (slot + 1) & (KEYS.length - 1)
  return slot
}

/** Make a slot for a word as rules give it, and one for its first letters. */
function slotOf(word: string): number {
  const letters = word.replace('^', '').slice(0, MOST_LETTERS)
  const start = word.startsWith('^') ? LINE_START : 0
  const short = keyAt(letters, 0, Math.min(letters.length, FIRST_LETTERS)) + start
  KEYS[find(short)] = short
  const key = keyAt(letters, 0, letters.length) + start
  const slot = find(key)
  KEYS[slot] = key
  if (letters.length >= 3) STARTS[keyAt(letters, 0, 3)] = 1
  return slot
}

function numberOf(word: string): number {
  const slot = slotOf(word)
  if (WORDS[slot] === 0) WORDS[slot] = ++known
  numbers.set(word.slice(0, word.startsWith('^') ? MOST_LETTERS + 1 : MOST_LETTERS), WORDS[slot]!)
  return WORDS[slot]!
}

function addRule(word: number, index: number): void {
  const set = Math.floor(index / SET_BITS)
  RULES_OF[word * RULE_SETS + set]! |= 1 << (index % SET_BITS)
}
