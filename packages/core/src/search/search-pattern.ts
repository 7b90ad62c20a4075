/** What is wrong with an expression. */
export interface PatternProblem {
  /** One sentence without a full stop, such as `Unterminated group`. */
  readonly message: string
  /** Where in the text as it was written, in UTF-16 units from 0; absent where that is not known. */
  readonly position?: number
}

/** How a pattern is read. */
export interface SearchPatternOptions {
  readonly ignoreCase: boolean
}

/** A proven upper bound on the steps of a search in a line of `n` UTF-16 units: `factor * n ** degree + factor`. */
export interface PatternCost {
  /** `Infinity` where nothing is proven. */
  readonly degree: number
  readonly factor: number
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
   * The one string that matches, with `ignoreCase` in any case, where the pattern stands for no other and the bytes of the
   * string in UTF-8 are just what has to be found.
   */
  readonly literal?: string
  /**
   * Strings of which each match contains at least one; absent where nothing is known to be required.
   *
   * None has an LF, and each has at least two characters. With `ignoreCase` all are lower-case ASCII, and what a match
   * contains differs from them by the case of ASCII letters alone.
   */
  readonly required?: readonly string[]
  readonly cost: PatternCost
  /**
   * The expression for a text of many lines that has no CR, U+2028 and U+2029; absent where there is none.
   *
   * A match never contains an LF. From the beginning of a line, the first match lies in the first line that `expression`
   * matches, at the same place. What matches the empty text behind the last LF is no line.
   */
  readonly textExpression?: string
  /** The flags of `textExpression`: those of `expression` and `m`. */
  readonly textFlags?: string
  /**
   * The expression for a part of a line that ends before the line does: what it matches, `expression` matches in the line.
   *
   * Absent where that is true of `expression` itself.
   */
  readonly partExpression?: string
}

/** Read a pattern. What is no valid expression is searched literally, and `problem` says why. */
export function parseSearchPattern(text: string, { ignoreCase }: SearchPatternOptions): SearchPattern {
  const leading = text.startsWith('(?i)')
  const expression = text.replace(/^\(\?i\)/, '')
  const flags = ignoreCase || leading ? 'is' : 's'
  const unknown = { degree: Infinity, factor: Infinity }
  try {
    new RegExp(`|(?:${expression})`, flags).test('')
    const plain = /^[\w <>="',:;/-]{2,}$/.test(expression)
    return {
      text,
      ignoreCase: ignoreCase || leading,
      expression,
      flags,
      cost: plain ? { degree: 1, factor: expression.length + 1 } : unknown,
      ...(plain && { literal: expression, required: [flags === 'is' ? expression.toLowerCase() : expression] }),
      ...(plain && { textExpression: expression, textFlags: `${flags}m` }),
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const literal = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    const cost = { degree: 1, factor: text.length + 1 }
    return {
      text,
      ignoreCase,
      expression: literal,
      flags: ignoreCase ? 'is' : 's',
      literal: text,
      problem: { message: error.message },
      cost,
    }
  }
}
