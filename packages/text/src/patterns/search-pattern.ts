import type { AST } from '@eslint-community/regexpp'
import { formatCount } from '../lines/clean-line.ts'
import { translateDialect, type Translation } from './dialect.ts'
import { expandModifiers, partSource, textSource } from './edit-source.ts'
import { matchCost, type PatternCost } from './match-cost.ts'
import {
  assertCompiles,
  parseExpression,
  patternTree,
  SyntaxFailure,
  type ExpressionFlags,
  type PatternNode,
  type RepeatNode,
} from './pattern-tree.ts'

/** What is wrong with an expression. */
interface PatternProblem {
  /** One sentence without a full stop, such as `Unterminated group`. */
  readonly message: string
  /** Where in the text as it was written, in UTF-16 units from 0. */
  readonly position: number
}

/** How a pattern is read. */
interface SearchPatternOptions {
  readonly ignoreCase: boolean
}

/** A pattern as a model wrote it, ready to be searched. */
export interface SearchPattern {
  readonly text: string
  /** Whether `flags` have `i`: as asked for, or because the pattern says so itself, as `(?i)` does. */
  readonly ignoreCase: boolean
  /** The expression to match in each line, the line's end not included, in the syntax of JavaScript. */
  readonly expression: string
  /** The flags of `expression`: `s`, and `i` and `u` where they are needed. */
  readonly flags: string
  /** Why it is searched as literal text; absent where it is a valid expression. */
  readonly problem?: PatternProblem
  /**
   * The one string that matches, in any case of its ASCII letters with `ignoreCase`, where a search for its bytes in UTF-8
   * finds just what the expression does; absent elsewhere.
   *
   * It has no CR, LF, U+FEFF and U+FFFD, which a text may have without their bytes or lose; with `ignoreCase`, it is
   * lower-case ASCII.
   */
  readonly literal?: string
  /**
   * Sets of strings, the best first: each match contains at least one string of every set. Absent where nothing is known
   * to be required.
   *
   * None has an LF or U+FFFD, and each has at least two units. With `ignoreCase` all are lower-case ASCII, and what a match
   * contains differs from them by the case of ASCII letters alone.
   */
  readonly required?: readonly (readonly string[])[]
  /** A proven bound on the steps of a search for `expression`; the others below take at most six times as many. */
  /**
   * The strings that it wants in this order, with anything between them, where it stands for that. With `ignoreCase` they
   * are of ASCII, in lower case.
   */
  readonly chain?: readonly ChainLink[]
  readonly cost: PatternCost
  /**
   * The expression for a text of many lines that has no CR, U+2028 and U+2029.
   *
   * A match never contains an LF. From the beginning of a line, the first match lies in the first line that `expression`
   * matches, at the same place. What matches the empty text behind the last LF is in no line.
   */
  readonly textExpression: string
  /** The flags of `textExpression`: those of `expression` and `m`. */
  readonly textFlags: string
  /**
   * The expression for a part of a line that begins with the line and ends before it does: where it matches, `expression`
   * matches in the line. Absent where that is true of `expression` itself.
   */
  readonly partExpression?: string
}

/** A longer expression could take an engine too long to compile. */
const LONGEST_EXPRESSION = 2_048

/** Printable ASCII that stands for itself: most of what is searched, which need not be parsed. */
const PLAIN = /^[\w !"#%&',/:;<=>@`~-]{2,}$/

/** Read a pattern. What is no valid expression is searched literally, and `problem` says why. */
export function parseSearchPattern(text: string, { ignoreCase }: SearchPatternOptions): SearchPattern {
  if (PLAIN.test(text) && text.length <= LONGEST_EXPRESSION) return plainPattern(text, ignoreCase)
  try {
    if (text.length > LONGEST_EXPRESSION) {
      throw new SyntaxFailure(
        `An expression has at most ${formatCount(LONGEST_EXPRESSION)} characters`,
        LONGEST_EXPRESSION,
      )
    }
    return analyze(text, translateDialect(text), ignoreCase)
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error
    return literalPattern(text, ignoreCase, { message: error.message, position: error.position })
  }
}

function plainPattern(text: string, ignoreCase: boolean): SearchPattern {
  const literal = ignoreCase ? text.toLowerCase() : text
  const flags = ignoreCase ? 'is' : 's'
  return {
    text,
    ignoreCase,
    expression: text,
    flags,
    literal,
    required: [[literal]],
    cost: { degree: 1, factor: 2 * text.length + 4 },
    textExpression: text,
    textFlags: `${flags}m`,
  }
}

function analyze(text: string, translation: Translation, ignoreCase: boolean): SearchPattern {
  try {
    const unicode = translation.needsUnicode
    const asked = { ignoreCase: ignoreCase || translation.ignoreCase, unicode }
    const plain = expandModifiers(parseExpression(translation.source, unicode), asked)
    return describe(text, plain.source, { unicode, ignoreCase: plain.ignoreCase })
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error
    throw new SyntaxFailure(error.message, translation.positionOf(error.position))
  }
}

function describe(text: string, expression: string, flags: ExpressionFlags): SearchPattern {
  const { ignoreCase, unicode } = flags
  const letters = `${ignoreCase ? 'i' : ''}s${unicode ? 'u' : ''}`
  assertCompiles(expression, letters)
  const pattern = parseExpression(expression, unicode)
  const tree = patternTree(pattern, flags)
  const literal = literalString(tree)
  const required = requiredSets(tree)
  const chain = unicode ? undefined : literalChain(pattern, ignoreCase)
  const part = partSource(pattern)
  return {
    text,
    ignoreCase,
    expression,
    flags: letters,
    ...(literal !== undefined && isFoundByBytes(literal) && { literal }),
    ...(required.length > 0 && { required }),
    ...(chain?.every((link) => isFoundByBytes(link.text)) === true && { chain }),
    cost: matchCost(tree),
    textExpression: textSource(pattern, flags),
    textFlags: `${letters}m`,
    ...(part !== expression && { partExpression: part }),
  }
}

function literalPattern(text: string, ignoreCase: boolean, problem: PatternProblem): SearchPattern {
  const expression = escapeExpression(text)
  const described = text.length <= LONGEST_EXPRESSION
  return { ...(described ? describe : describeLong)(text, expression, { ignoreCase, unicode: false }), problem }
}

/** Describe a literal without parsing it. */
function describeLong(text: string, expression: string, { ignoreCase }: ExpressionFlags): SearchPattern {
  const flags = ignoreCase ? 'is' : 's'
  const isLiteral = isFoundByBytes(text) && !(ignoreCase && /[^\0-\x7f]/.test(text))
  return {
    text,
    ignoreCase,
    expression,
    flags,
    ...(isLiteral && { literal: ignoreCase ? text.toLowerCase() : text }),
    cost: { degree: 1, factor: 2 * text.length + 4 },
    textExpression: expression.replaceAll('\n', '[]'),
    textFlags: `${flags}m`,
  }
}

function isFoundByBytes(literal: string): boolean {
  return literal.isWellFormed() && !/[\n\r\ufeff\ufffd]/.test(literal)
}

/** Write a text as a regular expression that matches just that, with any flags but `v`. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A string in a chain, and how what lies before it is matched. */
export interface ChainLink {
  readonly text: string
  /** Whether as much as possible lies between it and the string before: `.*`, and not `.*?`. */
  readonly isGreedy: boolean
}

/**
 * Return the strings that a pattern wants in this order, with anything between them: `ERROR.*timeout.*?id=`; `undefined`
 * for any other. There are two at least.
 *
 * Whether a line has such a chain is found by looking for one string after the other, since the first place of each leaves
 * the most for the others: in linear time, which an engine that goes back takes for no chain of three. Where case is
 * ignored, the strings are of ASCII and in lower case.
 */
function literalChain({ alternatives }: AST.Pattern, ignoreCase: boolean): readonly ChainLink[] | undefined {
  const elements = flatten(alternatives)
  if (elements === undefined) return undefined
  const links: ChainLink[] = []
  let text = ''
  let isGreedy = true
  for (const element of elements) {
    if (element.type === 'Character') {
      text += String.fromCodePoint(element.value)
      continue
    }
    if (element.type !== 'Quantifier' || !isGap(element) || text === '') return undefined
    links.push({ text, isGreedy })
    text = ''
    isGreedy = element.greedy
  }
  if (links.length === 0 || text === '') return undefined
  const chain = [...links, { text, isGreedy }]
  if (!ignoreCase) return chain
  return chain.every((link) => isAscii(link.text)) ? chain.map(inLowerCase) : undefined
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)
const inLowerCase = ({ text, isGreedy }: ChainLink): ChainLink => ({ text: text.toLowerCase(), isGreedy })

/** Take groups apart that have but one way; `undefined` where there are several. */
function flatten(alternatives: readonly AST.Alternative[]): readonly AST.Element[] | undefined {
  const [only, ...others] = alternatives
  if (only === undefined || others.length > 0) return undefined
  const elements: AST.Element[] = []
  for (const element of only.elements) {
    const isGroup = element.type === 'Group' || element.type === 'CapturingGroup'
    const inner = isGroup ? flatten(element.alternatives) : [element]
    if (inner === undefined) return undefined
    elements.push(...inner)
  }
  return elements
}

function isGap({ element, min, max }: AST.Quantifier): boolean {
  return element.type === 'CharacterSet' && element.kind === 'any' && min === 0 && max === Infinity
}

/** More strings than this do not narrow a search. */
const MOST_STRINGS = 16
/** Longer strings are no rarer. */
const LONGEST_STRING = 256
/** Shorter strings are found everywhere. */
const SHORTEST_STRING = 2

/** Sets that are worth trying. */
const MOST_SETS = 4

/** What is known of the strings that a node matches. */
interface Strings {
  /** All of them, where they are few. */
  readonly exact?: readonly string[]
  /** The best set of which each match has one. */
  readonly required?: readonly string[]
}

/** Return the one string that a tree matches, or `undefined` where it may match others, none, or under a condition. */
function literalString(tree: PatternNode): string | undefined {
  if (tree.kind === 'character') return tree.few?.length === 1 ? String.fromCodePoint(tree.few[0]!) : undefined
  if (tree.kind === 'repeat') {
    const repeated = tree.min === tree.max && tree.max <= LONGEST_STRING ? literalString(tree.body) : undefined
    return repeated === undefined || tree.max === 0 ? undefined : repeated.repeat(tree.max)
  }
  if (tree.kind !== 'sequence') return undefined
  const parts = tree.parts.map(literalString)
  return parts.includes(undefined) || parts.length === 0 ? undefined : parts.join('')
}

/**
 * Return strings of which each match of a tree contains at least one, or `undefined` where there are none worth a look.
 *
 * They are the longest and fewest that follow from the tree: what stands in a row, or in each branch of a choice. Sound by
 * induction: of nodes in a row a match has all, so any set will do; of a choice it has one, so it has one of the union.
 * Strings that a text from UTF-8 may have without having their bytes, with U+FFFD and half a surrogate pair, are left out.
 */
function requiredStrings(tree: PatternNode): readonly string[] | undefined {
  const { exact, required } = stringsOf(tree)
  const best = better(exact, required)
  // Whoever has `foobar` has `foo`.
  return best?.filter((string) => !best.some((other) => other !== string && string.includes(other)))
}

/**
 * Return sets of strings, the best first, such that each match of a tree contains one of every set: those of nodes that
 * stand in a row. Which of them narrows a search most, the text tells.
 */
function requiredSets(tree: PatternNode): readonly (readonly string[])[] {
  const best = requiredStrings(tree)
  if (best === undefined) return []
  const rows = tree.kind === 'sequence' ? rowSets(tree.parts) : []
  const others = rows.filter((set) => worth(set) > 0 && !set.some((string) => best.some((one) => one.includes(string))))
  return [best, ...others.toSorted((a, b) => worth(b) - worth(a)).slice(0, MOST_SETS - 1)]
}

/** Return the strings of each run of nodes that have few, and what is required of each of the others. */
function rowSets(parts: readonly PatternNode[]): (readonly string[])[] {
  const sets: (readonly string[])[] = []
  let run: readonly string[] = ['']
  for (const part of parts) {
    const { exact, required } = stringsOf(part)
    const longer = joined(run, exact)
    if (longer !== undefined) {
      run = longer
      continue
    }
    sets.push(run)
    if (required !== undefined) sets.push(required)
    run = exact ?? ['']
  }
  return [...sets, run]
}

function stringsOf(node: PatternNode): Strings {
  switch (node.kind) {
    case 'character':
      return node.few === undefined ? {} : { exact: node.few.map((character) => String.fromCodePoint(character)) }
    case 'edge':
    case 'boundary':
    case 'look':
      return { exact: [''] }
    case 'reference':
      return {}
    case 'sequence':
      return stringsOfRow(node.parts.map(stringsOf))
    case 'choice':
      return stringsOfChoice(node.branches.map(stringsOf))
    case 'repeat':
      return stringsOfRepeat(node)
  }
}

function stringsOfRow(parts: readonly Strings[]): Strings {
  let run: readonly string[] | undefined = ['']
  let isExact = true
  let required: readonly string[] | undefined
  for (const part of parts) {
    const longer: readonly string[] | undefined = joined(run, part.exact)
    if (longer === undefined) {
      required = better(better(required, run), part.required)
      isExact = false
      run = part.exact ?? ['']
    } else {
      // Many strings are longer, one string may be better.
      if (longer.length > run.length) required = better(required, run)
      run = longer
    }
  }
  return isExact ? { exact: run, ...(required && { required }) } : defined(better(required, run))
}

function stringsOfChoice(branches: readonly Strings[]): Strings {
  const exact = branches.map((branch) => branch.exact)
  if (exact.every((strings) => strings !== undefined)) {
    const all = [...new Set(exact.flat())]
    if (all.length <= MOST_STRINGS) return { exact: all }
  }
  const required = branches.map((branch) => better(branch.exact, branch.required))
  if (!required.every((strings) => strings !== undefined)) return {}
  return defined(better([...new Set(required.flat())], undefined))
}

function stringsOfRepeat({ body, min, max }: RepeatNode): Strings {
  const strings = stringsOf(body)
  if (max === 0) return { exact: [''] }
  if (min === 0) {
    const optional = max === 1 && strings.exact !== undefined && !strings.exact.includes('')
    return optional && strings.exact.length < MOST_STRINGS ? { exact: [...strings.exact, ''] } : {}
  }
  let run: readonly string[] | undefined = strings.exact
  for (let count = 1; count < min && run !== undefined; count++) run = joined(run, strings.exact)
  if (run !== undefined && min === max) return { exact: run }
  return defined(better(better(strings.exact, strings.required), run))
}

function joined(
  before: readonly string[] | undefined,
  behind: readonly string[] | undefined,
): readonly string[] | undefined {
  if (before === undefined || behind === undefined || before.length * behind.length > MOST_STRINGS) return undefined
  const strings = before.flatMap((one) => behind.map((other) => one + other))
  return strings.some(({ length }) => length > LONGEST_STRING) ? undefined : strings
}

function defined(required: readonly string[] | undefined): Strings {
  return required === undefined ? {} : { required }
}

/** Return the set that narrows a search more: long strings do, many do not. */
function better(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  const scores = [worth(one), worth(other)] as const
  if (scores[0] <= 0 && scores[1] <= 0) return undefined
  return scores[1] > scores[0] ? other : one
}

function worth(strings: readonly string[] | undefined): number {
  if (strings === undefined || strings.length === 0 || strings.length > MOST_STRINGS) return 0
  if (!strings.every(isSearchable)) return 0
  const shortest = Math.min(...strings.map(({ length }) => length))
  return shortest - Math.log2(strings.length) / 4
}

function isSearchable(text: string): boolean {
  return text.length >= SHORTEST_STRING && text.isWellFormed() && !/[\n\ufffd]/.test(text)
}
