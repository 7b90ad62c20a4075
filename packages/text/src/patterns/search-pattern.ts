import { escapeExpression } from './escape-expression.ts'
import { formatCount } from '../lines/format-count.ts'
import { assertCompiles, parseExpression, type ExpressionFlags } from './parse-expression.ts'
import { expandModifiers } from './expand-modifiers.ts'
import { literalChain, type ChainLink } from './literal-chain.ts'
import { matchCost, type PatternCost } from './match-cost.ts'
import { partSource } from './part-source.ts'
import { patternTree } from './pattern-tree.ts'
import { literalString, requiredSets } from './required-strings.ts'
import { SyntaxFailure } from './syntax-failure.ts'
import { textSource } from './text-source.ts'
import { translateDialect, type Translation } from './translate-dialect.ts'

export type { PatternCost } from './match-cost.ts'

/** What is wrong with an expression. */
export interface PatternProblem {
  /** One sentence without a full stop, such as `Unterminated group`. */
  readonly message: string
  /** Where in the text as it was written, in UTF-16 units from 0. */
  readonly position: number
}

/** How a pattern is read. */
export interface SearchPatternOptions {
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
