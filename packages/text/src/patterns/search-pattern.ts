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

interface PatternProblem {
  /** One sentence without a full stop, for example `Unterminated group`. */
  readonly message: string
  /** Position in the original text, in UTF-16 units from 0. */
  readonly position: number
}

interface SearchPatternOptions {
  readonly ignoreCase: boolean
}

/** A parsed pattern of a model, ready to be searched. */
export interface SearchPattern {
  readonly text: string
  /** Whether `flags` have `i`: by option, or by the pattern itself, for example `(?i)`. */
  readonly ignoreCase: boolean
  /** The expression to match in each line without its line end, in JavaScript syntax. */
  readonly expression: string
  /** The flags of `expression`: `s`, and `i` and `u` if needed. */
  readonly flags: string
  /** Reason that the pattern is searched as literal text. Absent if the expression is valid. */
  readonly problem?: PatternProblem
  /**
   * The only matching string, if a search for its UTF-8 bytes is equivalent. With `ignoreCase`, it is lower-case ASCII.
   * It never has CR, LF, U+FEFF or U+FFFD, which decoding may add or remove.
   */
  readonly literal?: string
  /**
   * Sets of strings without LF and U+FFFD, the best first: each match contains a string of every set. With
   * `ignoreCase`, all are lower-case ASCII, and a match may differ in the case of ASCII letters.
   */
  readonly required?: readonly (readonly string[])[]
  /** A proven bound on the steps of a search for `expression`. The other expressions take at most six times as many. */
  /** Strings that are equivalent to the expression, in order, with anything between them. */
  readonly chain?: readonly ChainLink[]
  readonly cost: PatternCost
  /**
   * The expression for many lines without CR, U+2028 and U+2029. Its matches never contain an LF. From
   * the start of a line, the first match is that of `expression`. A match after the last LF does not count.
   */
  readonly textExpression: string
  /** The flags of `textExpression`: those of `expression` and `m`. */
  readonly textFlags: string
  /** The expression for the first part of a line. Absent if `expression` itself can be used. */
  readonly partExpression?: string
}

/** A longer expression could take an engine too long to compile. */
const LONGEST_EXPRESSION = 2_048
/** Literal printable ASCII, the most frequent pattern, which needs no parsing. */
const PLAIN = /^[\w !"#%&',/:;<=>@`~-]{2,}$/

/** Parse a pattern. An invalid expression is searched as literal text, and `problem` has the reason. */
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
  const cost = matchCost(tree)
  // Single characters are everywhere: finding them pays for expensive patterns only.
  const required = requiredSets(tree).filter((set) => cost.degree > 1 || set.every(({ length }) => length > 1))
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
    cost,
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

/** Escape a text as an equivalent regular expression for any flags but `v`. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A string in a chain, and the quantifier before it. */
export interface ChainLink {
  readonly text: string
  /** Whether the quantifier is greedy: `.*`, not `.*?`. */
  readonly isGreedy: boolean
}

/**
 * Return the strings of a pattern that only requires them in order: `ERROR.*timeout.*?id=`. Returns `undefined` for any
 * other. The first position of each string leaves the most room for the others, so a search takes linear time.
 * Backtracking engines take longer from three strings on.
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

/** Inline groups that have a single branch. Returns `undefined` if one has several. */
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
/** Longer strings are not rarer. */
const LONGEST_STRING = 256
const MOST_SETS = 4

interface Strings {
  /** All matches, if there are few. */
  readonly exact?: readonly string[]
  /** The best set of which each match contains a string. */
  readonly required?: readonly string[]
}

/** Return the only string that a tree matches. Returns `undefined` if there are several, none, or conditions. */
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
 * Return strings of which each match of a tree contains at least one. Correct by induction: a match has all nodes of a
 * sequence, so any set is valid; of a choice it has one, so the union is valid. Strings with U+FFFD or half a surrogate
 * pair are excluded, since their bytes may differ.
 */
function requiredStrings(tree: PatternNode): readonly string[] | undefined {
  const { exact, required } = stringsOf(tree)
  const best = better(exact, required)
  // A text with `foobar` also has `foo`.
  return best?.filter((string) => !best.some((other) => other !== string && string.includes(other)))
}

/** Return sets of strings of which each match contains one of every set, the best first. */
function requiredSets(tree: PatternNode): readonly (readonly string[])[] {
  const best = requiredStrings(tree)
  if (best === undefined) return []
  const rows = tree.kind === 'sequence' ? rowSets(tree.parts) : []
  const others = rows.filter((set) => worth(set) > 0 && !set.some((string) => best.some((one) => one.includes(string))))
  return [best, ...others.toSorted((a, b) => worth(b) - worth(a)).slice(0, MOST_SETS - 1)]
}

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
      // Longer strings may be many; a single string may be better.
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
  return text !== '' && text.isWellFormed() && !/[\n\ufffd]/.test(text)
}
