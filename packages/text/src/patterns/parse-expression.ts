import { RegExpParser, RegExpSyntaxError, type AST } from '@eslint-community/regexpp'
import { SyntaxFailure } from './syntax-failure.ts'

/** The flags that change how a source is read, or what it matches in a line. */
export interface ExpressionFlags {
  readonly ignoreCase: boolean
  readonly unicode: boolean
}

const PARSER = new RegExpParser({ ecmaVersion: 2025 })

/** Parse an expression of JavaScript, as without `u` and `v` also with Annex B. Throws a {@link SyntaxFailure}. */
export function parseExpression(source: string, unicode: boolean): AST.Pattern {
  try {
    return PARSER.parsePattern(source, 0, source.length, { unicode })
  } catch (error) {
    if (!(error instanceof RegExpSyntaxError)) throw error
    // The parser has just read what is wrong.
    throw new SyntaxFailure(reasonOf(error), Math.max(0, error.index - 1))
  }
}

/**
 * Refuse what the engine of this runtime cannot compile, such as too large repeats. Throws a {@link SyntaxFailure}.
 *
 * The expression is compiled and not run, which could take long: nothing matches the character before it.
 */
export function assertCompiles(source: string, flags: string): void {
  try {
    new RegExp(`\\0(?:${source})`, flags).test('q')
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SyntaxFailure(reasonOf(error), 0)
  }
}

/** What follows the expression in `Invalid regular expression: /(/s: Unterminated group`. */
function reasonOf({ message }: Error): string {
  return message.slice(message.lastIndexOf(': ') + 2)
}
