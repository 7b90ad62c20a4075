/** What is wrong with an expression. */
export interface PatternProblem {
  /** One sentence without a full stop, such as `Unterminated group`. */
  readonly message: string
  /** Where, in UTF-16 units from 0; absent where that is not known. */
  readonly position?: number
}

/** How a pattern is read. */
export interface SearchPatternOptions {
  readonly ignoreCase: boolean
}

/** A pattern as a model wrote it, ready to be searched. */
export interface SearchPattern {
  readonly text: string
  /** Also where the pattern says so itself, as `(?i)` does. */
  readonly ignoreCase: boolean
  /** The expression to match in each line, in the syntax of JavaScript with the flag `s`. */
  readonly expression: string
  /** Why it is searched as literal text; absent where it is a valid expression. */
  readonly problem?: PatternProblem
}

/** Read a pattern. What is no valid expression is searched literally, and `problem` says why. */
export function parseSearchPattern(text: string, { ignoreCase }: SearchPatternOptions): SearchPattern {
  const leading = text.startsWith('(?i)')
  const expression = text.replace(/^\(\?i\)/, '')
  try {
    new RegExp(expression, 's').test('')
    return { text, ignoreCase: ignoreCase || leading, expression }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const literal = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    return { text, ignoreCase, expression: literal, problem: { message: error.message } }
  }
}
