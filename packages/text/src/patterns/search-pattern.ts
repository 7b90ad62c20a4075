import { formatCount } from '../lines/clean-line.ts'
import { escapeExpression } from '../shared/escape-expression.ts'
import { textSource, translateDialect } from './dialect.ts'
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

/** A parsed search pattern that a model wrote. */
export interface SearchPattern {
  readonly text: string
  /** Whether `flags` contain `i`. An option or the pattern itself may set it, for example with `(?i)`. */
  readonly ignoreCase: boolean
  /** The expression to match in each line without its line end, in JavaScript syntax. */
  readonly expression: string
  /** The flags of `expression`: `s`, and `i` and `u` if needed. */
  readonly flags: string
  /** The reason why the pattern is searched literally, for example `Unterminated group`. Absent if it is valid. */
  readonly problem?: string
  /**
   * Sets of strings without LF and U+FFFD, the best set first. Each match contains a string of every set. If
   * `ignoreCase`, all strings are ASCII in lower case, and a match may differ in the case of ASCII letters.
   */
  readonly required?: readonly (readonly string[])[]
  /**
   * Proven upper bound on the steps of `expression` in a search. `textExpression` takes at most six times as many
   * steps.
   */
  readonly cost: PatternCost
  /**
   * The expression for searching many lines at once, if they contain no CR, U+2028 and U+2029. Its matches never
   * contain an LF. From the start of a line, it finds the same first match as `expression`. A match after the last LF
   * must be ignored.
   */
  readonly textExpression: string
  /** The flags of `textExpression`: the flags of `expression`, and `m`. */
  readonly textFlags: string
}

/** Longest expression. An engine may need too long to compile a longer expression. */
const LONGEST_EXPRESSION = 2_048

/** Parse a pattern. An invalid expression is searched as literal text, and `problem` has the reason. */
export function parseSearchPattern(text: string, { ignoreCase }: Pick<SearchPattern, 'ignoreCase'>): SearchPattern {
  try {
    if (text.length > LONGEST_EXPRESSION)
      throw new SyntaxFailure(`An expression has at most ${formatCount(LONGEST_EXPRESSION)} characters`)
    const { source, needsUnicode, ignoreCase: isIgnored } = translateDialect(text)
    return describe(text, source, { unicode: needsUnicode, ignoreCase: ignoreCase || isIgnored })
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error
    return literalPattern(text, ignoreCase, error.message)
  }
}

function describe(text: string, expression: string, flags: ExpressionFlags): SearchPattern {
  const { ignoreCase, unicode } = flags
  const letters = `${ignoreCase ? 'i' : ''}s${unicode ? 'u' : ''}`
  assertCompiles(expression, letters)
  const pattern = parseExpression(expression, unicode)
  const tree = patternTree(pattern, flags)
  const cost = matchCost(tree)
  // Nearly every line has a single character, so searching for one is only worthwhile before an expensive pattern.
  const required = requiredSets(tree).filter((set) => cost.degree > 1 || set.every(({ length }) => length > 1))
  return {
    text,
    ignoreCase,
    expression,
    flags: letters,
    ...(required.length > 0 && { required }),
    cost,
    textExpression: textSource(pattern, flags),
    textFlags: `${letters}m`,
  }
}

function literalPattern(text: string, ignoreCase: boolean, problem: string): SearchPattern {
  const expression = escapeExpression(text)
  const described = text.length <= LONGEST_EXPRESSION
  return { ...(described ? describe : describeLong)(text, expression, { ignoreCase, unicode: false }), problem }
}

function describeLong(text: string, expression: string, { ignoreCase }: ExpressionFlags): SearchPattern {
  const flags = ignoreCase ? 'is' : 's'
  const start = text.slice(0, LONGEST_STRING)
  const isSought = isSearchable(start) && !(ignoreCase && /[^\0-\x7f]/.test(start))
  return {
    text,
    ignoreCase,
    expression,
    flags,
    ...(isSought && { required: [[ignoreCase ? start.toLowerCase() : start]] }),
    cost: { degree: 1, factor: 2 * text.length + 4 },
    textExpression: expression.replaceAll('\n', '[]'),
    textFlags: `${flags}m`,
  }
}

/** Largest number of strings in a set. A larger set does not narrow a search. */
const MOST_STRINGS = 16
/** Longest useful string. Longer strings are not rarer. */
const LONGEST_STRING = 256
const MOST_SETS = 4

interface Strings {
  /** All strings that match, if there are only a few. */
  readonly exact?: readonly string[]
  /** The best set of strings. Each match contains a string of this set. */
  readonly required?: readonly string[]
}

/**
 * Return strings so that each match of a tree contains at least one of them. Proof by induction: a match contains a
 * match of every node of a sequence, so any set of one node is valid. A match contains a match of one node of a choice, so
 * the union of the sets is valid. Strings with U+FFFD or lone surrogates are left out, because their bytes may differ.
 */
function requiredStrings(tree: PatternNode): readonly string[] | undefined {
  const { exact, required } = stringsOf(tree)
  const best = better(exact, required)
  // Every text that contains `foobar` also contains `foo`, so `foobar` is not needed.
  return best?.filter((string) => !best.some((other) => other !== string && string.includes(other)))
}

/** Return sets of strings, the best first. Each match contains a string of every set. */
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
      // The joined strings are longer but more numerous, so the shorter strings may be the better set.
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
  const times = Math.min(min, LONGEST_STRING + 1) // More repeats of any string but '' would be too long.
  for (let count = 1; count < times && run !== undefined; count++) run = joined(run, strings.exact)
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

/** Return the set that narrows a search more. Long strings and small sets are better. */
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
