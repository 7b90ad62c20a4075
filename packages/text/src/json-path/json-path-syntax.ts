/** A JSONPath as it was read (RFC 9535), free of the library that read it. */

import type { JsonName } from '../json/decode-json-string.ts'

export interface Segment {
  /** Whether the values within the values count too: `..`. */
  readonly descends: boolean
  readonly selectors: readonly Selector[]
  /** Where the segment begins in the path, in UTF-16 units. */
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

/** A query in a filter, from the root of the document or from the value that is tested. */
export interface Query {
  readonly fromRoot: boolean
  readonly segments: readonly Segment[]
}

/** What a filter asks. */
export type Test =
  | { readonly type: 'and' | 'or'; readonly left: Test; readonly right: Test }
  | { readonly type: 'not'; readonly test: Test }
  | { readonly type: 'exists'; readonly query: Query }
  | { readonly type: 'compare'; readonly operator: Comparison; readonly left: Operand; readonly right: Operand }
  | { readonly type: 'match'; readonly whole: boolean; readonly text: Operand; readonly pattern: Operand }

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

/** What a filter compares. */
export type Operand =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  /** The one value of a query; nothing where it gives none or several. */
  | { readonly type: 'value'; readonly query: Query }
  | { readonly type: 'length'; readonly of: Operand }
  | { readonly type: 'count'; readonly query: Query }

/** Tell whether a segment asks for a part of the document that is known only at its root. */
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

/** The expressions of `match()` and `search()` that stand in a path as they are, wherever they do. */
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
