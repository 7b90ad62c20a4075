import { RegExpParser } from '@eslint-community/regexpp'
import type { AST } from '@eslint-community/regexpp'
import type { PatternFlags } from '../platform/platform.ts'

/** An expression as RE2 reads it, which matches just what JavaScript matches. */
export interface Re2Expression {
  readonly source: string
  /** About the number of instructions that it is compiled to: what a step in the text costs at most. */
  readonly size: number
  /** Whether that is true of lines that are ASCII alone; else of all whose characters are in the BMP. */
  readonly asciiOnly: boolean
}

/** RE2 has no more. */
const MAX_REPEATS = 1_000
/** What is compiled to more is left to an engine that can be interrupted. */
const MAX_SIZE = 5_000
const SPACES =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NO_SPACES =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
/** What escapes of sets stand for, within brackets. */
const SETS = {
  digit: ['0-9', '\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}'],
  word: ['0-9A-Z_a-z', '\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}'],
  space: [SPACES, NO_SPACES],
} as const

/** RE2 reads a part in another way than JavaScript, or not at all. */
class NotAlike extends Error {
  override readonly name = 'NotAlike'
}

/** A part of an expression as RE2 reads it. */
interface Part {
  readonly source: string
  readonly size: number
  readonly canBeEmpty: boolean
}

/**
 * Write an expression for RE2, or return `undefined` where it has none that matches the same.
 *
 * Every part is written anew, in the few forms that both read alike. These are left out, beside what RE2 does not have
 * (look-around, back-references): repeated parts that can be empty, in which RE2 prefers another way than JavaScript;
 * properties of characters, which depend on the version of Unicode; halves of surrogate pairs; and case-insensitive
 * expressions beyond ASCII or with the flag `u`, where the two fold other characters.
 *
 * @param pattern - Valid in JavaScript, with the flag `s`.
 */
export function writeRe2Expression(pattern: string, flags: PatternFlags): Re2Expression | undefined {
  if (flags.ignoreCase && flags.unicode) return undefined
  const writer = new Re2Writer(flags.ignoreCase)
  const { alternatives } = new RegExpParser().parsePattern(pattern, undefined, undefined, { unicode: flags.unicode })
  try {
    const { source, size } = writer.alternatives(alternatives)
    return size > MAX_SIZE ? undefined : { source, size, asciiOnly: flags.ignoreCase || writer.hasInnerEdge }
  } catch (error) {
    if (error instanceof NotAlike) return undefined
    throw error
  }
}

class Re2Writer {
  readonly #ignoreCase: boolean
  /** `\B`, which RE2 also finds between the bytes of a character. */
  hasInnerEdge = false

  constructor(ignoreCase: boolean) {
    this.#ignoreCase = ignoreCase
  }

  alternatives(alternatives: readonly AST.Alternative[]): Part {
    const parts = alternatives.map(({ elements }) => elements.map((element) => this.#element(element)))
    return {
      source: `(?:${parts.map((elements) => elements.map(({ source }) => source).join('')).join('|')})`,
      size: parts.flat().reduce((sum, { size }) => sum + size, alternatives.length),
      canBeEmpty: parts.some((elements) => elements.every(({ canBeEmpty }) => canBeEmpty)),
    }
  }

  #element(element: AST.Element): Part {
    switch (element.type) {
      case 'Character':
        return consuming(
          this.#ignoreCase ? `[${this.#range(element.value, element.value)}]` : characterOf(element.value),
        )
      case 'CharacterSet':
        if (element.kind === 'any') return consuming('(?s:.)')
        return consuming(`[${setOf(element)}]`)
      case 'CharacterClass':
        if (element.elements.length === 0 && element.negate) return consuming('(?s:.)')
        return consuming(`[${element.negate ? '^' : ''}${this.#members(element)}]`)
      case 'Group':
        if (element.modifiers !== null) throw new NotAlike()
        return this.alternatives(element.alternatives)
      case 'CapturingGroup':
        return this.alternatives(element.alternatives)
      case 'Quantifier':
        return this.#repeated(element)
      case 'Assertion':
        return this.#assertion(element)
      default:
        throw new NotAlike()
    }
  }

  #assertion(assertion: AST.Assertion): Part {
    const size = 1
    if (assertion.kind === 'start') return { source: '^', size, canBeEmpty: true }
    if (assertion.kind === 'end') return { source: '$', size, canBeEmpty: true }
    if (assertion.kind !== 'word') throw new NotAlike()
    this.hasInnerEdge ||= assertion.negate
    return { source: assertion.negate ? '\\B' : '\\b', size, canBeEmpty: true }
  }

  #repeated({ element, min, max, greedy }: AST.Quantifier): Part {
    const part = this.#element(element)
    const times = max === Infinity ? min : max
    if (part.canBeEmpty || times > MAX_REPEATS) throw new NotAlike()
    const counts = max === Infinity ? `{${min},}` : `{${min},${max}}`
    return {
      source: `(?:${part.source})${counts}${greedy ? '' : '?'}`,
      size: part.size * Math.max(1, times) + 1,
      canBeEmpty: min === 0,
    }
  }

  #members({ elements }: AST.CharacterClass): string {
    if (elements.length === 0) throw new NotAlike()
    const members = elements.map((member) => {
      if (member.type === 'Character') return this.#range(member.value, member.value)
      if (member.type === 'CharacterClassRange') return this.#range(member.min.value, member.max.value)
      if (member.type === 'CharacterSet') return setOf(member)
      throw new NotAlike()
    })
    return members.join('')
  }

  /** A range of characters, in both cases where case is ignored. */
  #range(min: number, max: number): string {
    const range = `${characterOf(min)}-${characterOf(max)}`
    if (!this.#ignoreCase) return range
    if (max > 0x7f) throw new NotAlike()
    return range + caseShift(min, max, 65, 90, 32) + caseShift(min, max, 97, 122, -32)
  }
}

const consuming = (source: string): Part => ({ source, size: 1, canBeEmpty: false })

function setOf(set: AST.CharacterSet): string {
  if (set.kind !== 'digit' && set.kind !== 'word' && set.kind !== 'space') throw new NotAlike()
  return SETS[set.kind][set.negate ? 1 : 0]
}

function characterOf(codePoint: number): string {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) throw new NotAlike()
  return `\\x{${codePoint.toString(16)}}`
}

/** The part of a range that lies between two letters, in the other case. */
function caseShift(min: number, max: number, first: number, last: number, shift: number): string {
  const from = Math.max(min, first)
  const to = Math.min(max, last)
  return from > to ? '' : `${characterOf(from + shift)}-${characterOf(to + shift)}`
}
