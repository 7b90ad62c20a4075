import { RE2JS, RE2JSException } from 're2js'

/** Programs larger than this match nothing: each character of a text may cost as many steps. */
const MAX_PROGRAM_SIZE = 1_500
/** Steps of one text, which cannot be interrupted: some 0.1 s at the worst. */
const MAX_STEPS = 1_500_000
/** Expressions of one path that are kept compiled: they may stand in the content. */
const MAX_KEPT = 64

/** What has a meaning in an expression. */
const SYNTAX = /[\\^$.*+?()[\]{}|]/

/** A text is too long for its expression. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong'
}

/** The expression of `match()` or `search()`, by an engine whose time is linear in the text. */
export interface TextExpression {
  /** Throws {@link TextTooLong}. */
  test(text: string): boolean
  /** Steps that each UTF-16 unit of a text costs, at most. */
  readonly stepsPerUnit: number
}

/**
 * Compile the regular expressions of one path. What cannot be compiled matches nothing, as RFC 9535 has it: that is
 * `undefined`.
 *
 * They are read as I-Regexp (RFC 9485), and what RE2 knows beside it is taken too, such as `\d`. A dot is any character but
 * LF and CR.
 */
export class TextExpressions {
  readonly #kept = new Map<string, TextExpression | undefined>()

  get(pattern: string, whole: boolean): TextExpression | undefined {
    const key = (whole ? 'm' : 's') + pattern
    if (this.#kept.has(key)) return this.#kept.get(key)
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    const expression = compile(pattern, whole)
    this.#kept.set(key, expression)
    return expression
  }
}

function compile(pattern: string, whole: boolean): TextExpression | undefined {
  if (!whole && !SYNTAX.test(pattern)) return { stepsPerUnit: 1, test: (text) => text.includes(pattern) }
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(replaceDots(pattern)))
    const stepsPerUnit = Math.max(1, expression.programSize())
    if (stepsPerUnit > MAX_PROGRAM_SIZE) return undefined
    return {
      stepsPerUnit,
      test: (text) => {
        if (text.length * stepsPerUnit > MAX_STEPS) throw new TextTooLong()
        return whole ? expression.matches(text) : expression.matcher(text).find()
      },
    }
  } catch (error) {
    if (error instanceof RE2JSException) return undefined
    throw error
  }
}

/** Replace each dot outside a class by what it means in I-Regexp. */
function replaceDots(pattern: string): string {
  return pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\./g, (part) => (part === '.' ? '[^\\n\\r]' : part))
}
