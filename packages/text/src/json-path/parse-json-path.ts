import type { jsonpath } from 'json-p3'
import { decodeJsonString, JsonName } from '../json/decode-json-string.ts'
import { isBracket } from '../json/json-walker.ts'
import { isDeepEqual } from '../shared/is-deep-equal.ts'
import { createTextTest, type TextTest } from '../patterns/text-test.ts'
import {
  MAX_SEGMENTS,
  type Evaluation,
  type Queries,
  type Query,
  type Segment,
  type Selector,
  type Test,
} from './path-walk.ts'

type Library = typeof jsonpath
type Expression = InstanceType<Library['expressions']['FilterExpression']>
const MAX_PATH_LENGTH = 2_000

interface JsonPathProblem {
  readonly message: string
  readonly position: number
}

export interface JsonPath {
  readonly segments: readonly Segment[]
  /** Whether a filter needs values from the root. */
  readonly asksRoot: boolean
  /** Whether a filter tests only that something exists. */
  readonly testsExistence: boolean
}

/**
 * Parse a JSONPath (RFC 9535) with the functions `length`, `count`, `value`, `match` and `search`. A regular expression
 * in the path that is invalid, too large, or not linear is reported as a problem.
 */
export async function parseJsonPath(text: string): Promise<JsonPath | { readonly problem: JsonPathProblem }> {
  if (text.length > MAX_PATH_LENGTH) {
    return { problem: { message: `it is longer than ${MAX_PATH_LENGTH} characters`, position: MAX_PATH_LENGTH } }
  }
  const { jsonpath: library } = await import('json-p3')
  try {
    return readPath(library, library.compile(text))
  } catch (error) {
    if (error instanceof PathRefused) return { problem: { message: error.message, position: error.position } }
    if (!(error instanceof library.JSONPathError)) throw error
    // The library's message ends with the position. The caller reports the position separately.
    const message = error.message.replace(/ \('[\s\S]*'?:\d+\)$/, '')
    return { problem: { message, position: Math.min(error.token.index, text.length) } }
  }
}

class PathRefused extends Error {
  override readonly name = 'PathRefused'
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

/** A value that a filter compares. Arrays and objects are compared as bytes. */
type Compared = string | number | bigint | boolean | null | undefined | Uint8Array
type Operand = (value: Uint8Array, queries: Queries) => Evaluation<Compared>

/** Convert the library's syntax tree of a path. */
function readPath(library: Library, path: jsonpath.JSONPathQuery): JsonPath {
  let asksRoot = false
  let testsExistence = false

  function readSegments(query: jsonpath.JSONPathQuery): Segment[] {
    const { segments } = query
    if (segments.length > MAX_SEGMENTS)
      throw new PathRefused(`it has more than ${MAX_SEGMENTS} segments`, segments[MAX_SEGMENTS]!.token.index)
    return segments.map((segment) => ({
      descends: segment.token.kind === library.TokenKind.DDOT,
      selectors: segment.selectors.map((selector) => readSelector(selector)),
    }))
  }

  function readSelector(selector: jsonpath.JSONPathSelector): Selector {
    const { NameSelector, IndexSelector, SliceSelector, WildcardSelector, FilterSelector } = library.selectors
    if (selector instanceof NameSelector) return { type: 'name', name: new JsonName(selector.name) }
    if (selector instanceof IndexSelector) return { type: 'index', index: selector.index }
    if (selector instanceof SliceSelector) {
      return { type: 'slice', start: selector.start, end: selector.stop, step: selector.step ?? 1 }
    }
    if (selector instanceof WildcardSelector) return { type: 'wildcard' }
    if (selector instanceof FilterSelector) return { type: 'filter', test: readTest(selector.expression) }
    throw unknownSyntax(selector.toString())
  }

  function readTest(expression: Expression): Test {
    const { LogicalExpression, PrefixExpression, InfixExpression, FunctionExtension } = library.expressions
    if (expression instanceof LogicalExpression) return readTest(expression.expression)
    if (expression instanceof PrefixExpression) {
      const test = readTest(expression.right)
      return function* (value, queries) {
        return !(yield* test(value, queries))
      }
    }
    if (expression instanceof InfixExpression) return readInfix(expression)
    if (expression instanceof FunctionExtension) return readMatch(expression)
    const query = readQuery(expression)
    testsExistence ||= !query.segments.some(({ selectors }) => selectors.some(({ type }) => type === 'filter'))
    return function* (value, queries) {
      let exists = false
      yield* queries.each(query, value, () => (exists = true))
      return exists
    }
  }

  function readInfix({ operator, left, right }: InstanceType<Library['expressions']['InfixExpression']>): Test {
    if (operator === '&&' || operator === '||') {
      const one = readTest(left)
      const other = readTest(right)
      return function* (value, queries) {
        const first = yield* one(value, queries)
        return first === (operator === '||') ? first : yield* other(value, queries)
      }
    }
    const one = readOperand(left)
    const other = readOperand(right)
    return function* (value, queries) {
      return compare(operator, yield* one(value, queries), yield* other(value, queries))
    }
  }

  function readMatch({ name, args, token }: InstanceType<Library['expressions']['FunctionExtension']>): Test {
    const [text, pattern] = args
    if ((name !== 'match' && name !== 'search') || text === undefined || pattern === undefined)
      throw unknownSyntax(name)
    const isLiteral = pattern instanceof library.expressions.StringLiteral
    const known = isLiteral ? textTest(pattern.value, name === 'match') : undefined
    if (isLiteral && known === undefined) {
      const shown = JSON.stringify(pattern.value)
      throw new PathRefused(`${shown} is not a regular expression (RFC 9485), or is too large`, token.index)
    }
    const readText = readOperand(text)
    const readPattern = readOperand(pattern)
    return function* (value, queries) {
      const given = yield* readText(value, queries)
      if (typeof given !== 'string') return false
      if (known !== undefined) return yield* known(given)
      const found = yield* readPattern(value, queries)
      // An invalid regular expression matches nothing (RFC 9535).
      const test = typeof found === 'string' ? textTest(found, name === 'match') : undefined
      return test !== undefined && (yield* test(given))
    }
  }

  function readOperand(expression: Expression): Operand {
    const { NullLiteral, BooleanLiteral, StringLiteral, NumberLiteral, FunctionExtension } = library.expressions
    const isLiteral =
      expression instanceof BooleanLiteral || expression instanceof StringLiteral || expression instanceof NumberLiteral
    if (isLiteral || expression instanceof NullLiteral) {
      const literal = isLiteral ? expression.value : null
      return () => done(typeof literal === 'number' ? readNumber(expression.token.value) : literal)
    }
    if (!(expression instanceof FunctionExtension)) return single(readQuery(expression))
    const [argument] = expression.args
    if (argument !== undefined) {
      if (expression.name === 'length') return lengthOf(readOperand(argument))
      if (expression.name === 'count') return countOf(readQuery(argument))
      if (expression.name === 'value') return single(readQuery(argument))
    }
    throw unknownSyntax(expression.name)
  }

  function readQuery(expression: Expression): Query {
    const { RelativeQuery, RootQuery } = library.expressions
    const fromRoot = expression instanceof RootQuery
    if (!fromRoot && !(expression instanceof RelativeQuery)) throw unknownSyntax(expression.toString())
    asksRoot ||= fromRoot
    return { fromRoot, segments: readSegments(expression.path) }
  }

  return { segments: readSegments(path), asksRoot, testsExistence }
}

/** Create the error for syntax that the library should not return. Such syntax means that the library has changed. */
function unknownSyntax(text: string): Error {
  return new Error(`json-p3 returned syntax that Spillway does not know: ${text}`)
}

function* done(literal: Compared): Evaluation<Compared> {
  yield* NO_PAUSES
  return literal
}

const NO_PAUSES: readonly undefined[] = []

/** Return an operand with the value of a query. Without exactly one result, the value is `undefined`. */
function single(query: Query): Operand {
  return function* (value, queries) {
    let count = 0
    let found: Uint8Array | undefined
    yield* queries.each(query, value, (result) => {
      found = result
      return ++count > 1
    })
    return count === 1 ? readValue(found!) : undefined
  }
}

function countOf(query: Query): Operand {
  return function* (value, queries) {
    let count = 0
    yield* queries.each(query, value, () => {
      count++
      return false
    })
    return count
  }
}

const CHILDREN: Query = { fromRoot: false, segments: [{ descends: false, selectors: [{ type: 'wildcard' }] }] }

function lengthOf(of: Operand): Operand {
  const count = countOf(CHILDREN)
  return function* (value, queries) {
    const held = yield* of(value, queries)
    if (held instanceof Uint8Array) return yield* count(held, queries)
    return typeof held === 'string' ? Array.from(held).length : undefined
  }
}

const decoder = new TextDecoder()

/** Parse a number. An integer that a double cannot represent exactly, for example an id, becomes a `bigint`. */
function readNumber(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : BigInt(text)
}

/** Parse a value. Numbers with decimals are rounded to the nearest double. */
function readValue(bytes: Uint8Array): Compared {
  const first = bytes[0]
  if (isBracket(first)) return bytes
  if (first === 34) return decodeJsonString(bytes)
  const text = decoder.decode(bytes)
  return text === 'null' ? null : text === 'true' ? true : text === 'false' ? false : readNumber(text)
}

function compare(operator: string, left: Compared, right: Compared): boolean {
  if (operator === '==') return isEqual(left, right)
  if (operator === '!=') return !isEqual(left, right)
  if (operator.startsWith('>')) return compare(operator.replace('>', '<'), right, left)
  const isOrdered = (isNumber(left) && isNumber(right)) || (typeof left === 'string' && typeof right === 'string')
  return (isOrdered && left < right) || (operator === '<=' && isEqual(left, right))
}

const isNumber = (value: Compared): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

function isEqual(left: Compared, right: Compared): boolean {
  if (isNumber(left) && isNumber(right) && typeof left !== typeof right) return Number(left) === Number(right)
  if (!(left instanceof Uint8Array) || !(right instanceof Uint8Array)) return left === right
  try {
    return isDeepEqual(JSON.parse(decoder.decode(left)), JSON.parse(decoder.decode(right)))
  } catch (error) {
    // A value that a walk skipped without validation may not be JSON.
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/**
 * Compile an I-Regexp (RFC 9485) or a regular expression in another syntax that models write. Returns `undefined` if
 * the expression cannot be matched in linear time.
 */
export function textTest(pattern: string, whole: boolean): TextTest | undefined {
  const dots = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\./g
  return createTextTest(
    pattern.replace(dots, (part) => (part === '.' ? '[^\\n\\r]' : part)),
    whole,
  )
}
