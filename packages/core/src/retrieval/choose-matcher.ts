import { createPatternMatcher } from '#platform'
import type { PatternMatcher } from '../platform/platform.ts'
import { createLiteralMatcher, escapePattern, isPlainLiteral } from './literal-matcher.ts'

/** A pattern, ready to be matched. */
export interface ChosenMatcher {
  readonly matcher: PatternMatcher
  /** Whether the pattern is no valid regular expression and is searched as it stands. */
  readonly literal: boolean
}

/** How a pattern is matched. */
export interface MatcherOptions {
  readonly ignoreCase: boolean
  /** Milliseconds of matching, apart from what the size of the content adds. */
  readonly deadlineMs: number
}

/** Inline flags as Python and PCRE have them at the start of a pattern; JavaScript does not know them. */
const LEADING_FLAGS = /^\(\?i\)/

/**
 * Choose how to match a pattern: in place where it stands for itself, else away from the event loop.
 *
 * What is no valid regular expression is matched literally.
 */
export function chooseMatcher(pattern: string, options: MatcherOptions): ChosenMatcher {
  const ignoreCase = options.ignoreCase || LEADING_FLAGS.test(pattern)
  const source = pattern.replace(LEADING_FLAGS, '')
  const literal = !isRegularExpression(source)
  const flags = { ignoreCase, unicode: false }
  const matcher = isPlainLiteral(source)
    ? createLiteralMatcher(source, flags, options.deadlineMs)
    : createPatternMatcher(literal ? escapePattern(source) : source, flags, options.deadlineMs)
  return { matcher, literal }
}

function isRegularExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 's') instanceof RegExp
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
