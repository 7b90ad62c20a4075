import type { jsonpath } from 'json-p3'
import { JsonName } from '../json/decode-json-string.ts'

type Library = typeof jsonpath
type Expression = InstanceType<Library['expressions']['FilterExpression']>
/** UTF-16 units. */
const MAX_PATH_LENGTH = 2_000

interface JsonPathProblem {
  readonly message: string
  readonly position: number
}

/** Parse a JSONPath (RFC 9535) with the functions `length`, `count`, `value`, `match` and `search`. */
export async function parseJsonPath(
  text: string,
): Promise<{ readonly segments: readonly Segment[] } | { readonly problem: JsonPathProblem }> {
  if (text.length > MAX_PATH_LENGTH) {
    return { problem: { message: `it is longer than ${MAX_PATH_LENGTH} characters`, position: MAX_PATH_LENGTH } }
  }
  const { jsonpath: library } = await import('json-p3')
  try {
    const query = library.compile(text)
    return { segments: new Reader(library).segments(query) }
  } catch (error) {
    if (!(error instanceof library.JSONPathError)) throw error
    // The library's message ends with the position, which the caller reports.
    const message = error.message.replace(/ \('[\s\S]*'?:\d+\)$/, '')
    return { problem: { message, position: Math.min(error.token.index, text.length) } }
  }
}

class Reader {
  readonly #library: Library

  constructor(library: Library) {
    this.#library = library
  }

  segments(query: jsonpath.JSONPathQuery): Segment[] {
    return query.segments.map((segment) => ({
      descends: segment.token.kind === this.#library.TokenKind.DDOT,
      selectors: segment.selectors.map((selector) => this.#selector(selector)),
      position: segment.token.index,
    }))
  }

  #selector(selector: jsonpath.JSONPathSelector): Selector {
    const { NameSelector, IndexSelector, SliceSelector, WildcardSelector, FilterSelector } = this.#library.selectors
    if (selector instanceof NameSelector) return { type: 'name', name: new JsonName(selector.name) }
    if (selector instanceof IndexSelector) return { type: 'index', index: selector.index }
    if (selector instanceof SliceSelector) {
      return { type: 'slice', start: selector.start, end: selector.stop, step: selector.step ?? 1 }
    }
    if (selector instanceof WildcardSelector) return { type: 'wildcard' }
    if (selector instanceof FilterSelector) return { type: 'filter', test: this.#test(selector.expression) }
    throw unknownSyntax(selector.toString())
  }

  #test(expression: Expression): Test {
    const { LogicalExpression, PrefixExpression, InfixExpression, FunctionExtension } = this.#library.expressions
    if (expression instanceof LogicalExpression) return this.#test(expression.expression)
    if (expression instanceof PrefixExpression) return { type: 'not', test: this.#test(expression.right) }
    if (expression instanceof InfixExpression) return this.#infix(expression)
    if (expression instanceof FunctionExtension) {
      const [text, pattern] = expression.args
      const isMatch = expression.name === 'match' || expression.name === 'search'
      if (!isMatch || text === undefined || pattern === undefined) throw unknownSyntax(expression.name)
      const whole = expression.name === 'match'
      return { type: 'match', whole, text: this.#operand(text), pattern: this.#operand(pattern) }
    }
    return { type: 'exists', query: this.#query(expression) }
  }

  #infix({ operator, left, right }: InstanceType<Library['expressions']['InfixExpression']>): Test {
    if (operator === '&&') return { type: 'and', left: this.#test(left), right: this.#test(right) }
    if (operator === '||') return { type: 'or', left: this.#test(left), right: this.#test(right) }
    return {
      type: 'compare',
      operator: operator as Comparison,
      left: this.#operand(left),
      right: this.#operand(right),
    }
  }

  #operand(expression: Expression): Operand {
    const { NullLiteral, BooleanLiteral, StringLiteral, NumberLiteral, FunctionExtension } = this.#library.expressions
    if (expression instanceof NullLiteral) return { type: 'literal', value: null }
    const isLiteral =
      expression instanceof BooleanLiteral || expression instanceof StringLiteral || expression instanceof NumberLiteral
    if (isLiteral) return { type: 'literal', value: expression.value }
    if (!(expression instanceof FunctionExtension)) return { type: 'value', query: this.#query(expression) }
    const [argument] = expression.args
    if (argument !== undefined) {
      if (expression.name === 'length') return { type: 'length', of: this.#operand(argument) }
      if (expression.name === 'count') return { type: 'count', query: this.#query(argument) }
      if (expression.name === 'value') return { type: 'value', query: this.#query(argument) }
    }
    throw unknownSyntax(expression.name)
  }

  #query(expression: Expression): Query {
    const { RelativeQuery, RootQuery } = this.#library.expressions
    const fromRoot = expression instanceof RootQuery
    if (!fromRoot && !(expression instanceof RelativeQuery)) throw unknownSyntax(expression.toString())
    return { fromRoot, segments: this.segments(expression.path) }
  }
}

/** The library only parses the standard, so this error means that the library changed. */
function unknownSyntax(text: string): Error {
  return new Error(`json-p3 has read something that is not known here: ${text}`)
}

/** A segment of a parsed JSONPath (RFC 9535), independent of the parser library. */
export interface Segment {
  /** Whether the segment also selects from descendants: `..`. */
  readonly descends: boolean
  readonly selectors: readonly Selector[]
  /** Offset of the segment in the path, in UTF-16 units. */
  readonly position: number
}

export type Selector =
  | { readonly type: 'name'; readonly name: JsonName }
  | { readonly type: 'index'; readonly index: number }
  | SliceSelector
  | { readonly type: 'wildcard' }
  | { readonly type: 'filter'; readonly test: Test }

export interface SliceSelector {
  readonly type: 'slice'
  readonly start: number | undefined
  readonly end: number | undefined
  readonly step: number
}

export interface Query {
  readonly fromRoot: boolean
  readonly segments: readonly Segment[]
}

export type Test =
  | { readonly type: 'and' | 'or'; readonly left: Test; readonly right: Test }
  | { readonly type: 'not'; readonly test: Test }
  | { readonly type: 'exists'; readonly query: Query }
  | { readonly type: 'compare'; readonly operator: Comparison; readonly left: Operand; readonly right: Operand }
  | { readonly type: 'match'; readonly whole: boolean; readonly text: Operand; readonly pattern: Operand }

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

export type Operand =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  /** The single result of a query; nothing if there is none or several. */
  | { readonly type: 'value'; readonly query: Query }
  | { readonly type: 'length'; readonly of: Operand }
  | { readonly type: 'count'; readonly query: Query }

export function asksRoot(segment: Segment): boolean {
  return segment.selectors.some((selector) => selector.type === 'filter' && testAsksRoot(selector.test))
}

function testAsksRoot(test: Test): boolean {
  switch (test.type) {
    case 'and':
    case 'or':
      return testAsksRoot(test.left) || testAsksRoot(test.right)
    case 'not':
      return testAsksRoot(test.test)
    case 'exists':
      return queryAsksRoot(test.query)
    case 'compare':
      return operandAsksRoot(test.left) || operandAsksRoot(test.right)
    case 'match':
      return operandAsksRoot(test.text) || operandAsksRoot(test.pattern)
  }
}

function operandAsksRoot(operand: Operand): boolean {
  if (operand.type === 'literal') return false
  return operand.type === 'length' ? operandAsksRoot(operand.of) : queryAsksRoot(operand.query)
}

/** Return the literal expressions of all calls of `match()` and `search()` in a path. */
export function literalExpressions(segments: readonly Segment[]): readonly string[] {
  return segments.flatMap(({ selectors }) =>
    selectors.flatMap((selector) => (selector.type === 'filter' ? expressionsOf(selector.test) : [])),
  )
}

function expressionsOf(test: Test): readonly string[] {
  switch (test.type) {
    case 'and':
    case 'or':
      return [...expressionsOf(test.left), ...expressionsOf(test.right)]
    case 'not':
      return expressionsOf(test.test)
    case 'exists':
      return literalExpressions(test.query.segments)
    case 'match':
      return test.pattern.type === 'literal' && typeof test.pattern.value === 'string' ? [test.pattern.value] : []
    case 'compare':
      return []
  }
}

function queryAsksRoot({ fromRoot, segments }: Query): boolean {
  return fromRoot || segments.some(asksRoot)
}
