import { createTextTest, type TextTest } from '../patterns/text-test.ts'
import type { JsonNode, JsonTape } from '../json/json-tape.ts'
import type { Comparison, Operand, Query, Segment, Selector, SliceSelector, Test } from './parse-json-path.ts'

/** Values that one segment may select, since a path may select a value many times. */
const MAX_SELECTED = 4_000_000
/** Steps between two pauses, some milliseconds. A step is one value or a few bytes. */
const STEPS_OF_A_SLICE = 50_000
const BYTES_PER_STEP = 16
/** Yields at each pause. */
type Evaluation<Result> = Generator<undefined, Result>
type Compared = string | number | boolean | null | undefined | { readonly node: JsonNode }

/** There is more to select than is taken. */
export class TooManySelected extends Error {
  override readonly name = 'TooManySelected'
}

/** Evaluates queries in the order of RFC 9535, with pauses. A name selects the first member of repeated keys. */
export class QueryEvaluator {
  readonly #tape: JsonTape
  readonly #expressions: TextExpressions
  /** Cached results of queries from the root, which never change. */
  readonly #fromRoot = new Map<Query, readonly JsonNode[]>()
  #steps = 0

  constructor(tape: JsonTape, expressions: TextExpressions = new TextExpressions()) {
    this.#tape = tape
    this.#expressions = expressions
  }

  /** Select by segments in sequence. Throws {@link TooManySelected}. */
  *select(segments: readonly Segment[], from: JsonNode = 0): Evaluation<readonly JsonNode[]> {
    let nodes: readonly JsonNode[] = [from]
    for (const segment of segments) {
      const selected: JsonNode[] = []
      for (const node of nodes) {
        if (!segment.descends) yield* this.#selectChildren(segment, node, selected)
        else {
          const end = this.#tape.next(node)
          for (let inner = node; inner < end; inner++) yield* this.#selectChildren(segment, inner, selected)
        }
      }
      nodes = selected
    }
    return nodes
  }

  *#selectChildren({ selectors }: Segment, node: JsonNode, selected: JsonNode[]): Evaluation<void> {
    if (++this.#steps > STEPS_OF_A_SLICE) yield* this.#pause()
    const tape = this.#tape
    if (!tape.isArray(node) && !tape.isObject(node)) return
    for (const selector of selectors) yield* this.#apply(selector, node, selected)
    if (selected.length > MAX_SELECTED) throw new TooManySelected()
  }

  *#pause(): Evaluation<void> {
    this.#steps = 0
    yield
  }

  *#work(steps: number): Evaluation<void> {
    this.#steps += steps
    if (this.#steps > STEPS_OF_A_SLICE) yield* this.#pause()
  }

  *#apply(selector: Selector, node: JsonNode, selected: JsonNode[]): Evaluation<void> {
    const tape = this.#tape
    const isObject = tape.isObject(node)
    if (selector.type === 'slice' || selector.type === 'index') {
      if (!isObject) yield* this.#applyPlaces(selector, node, selected)
      return
    }
    if (selector.type === 'name' && !isObject) return
    const end = tape.next(node)
    for (let child = node + 1; child < end; child = tape.next(child)) {
      if (++this.#steps > STEPS_OF_A_SLICE) yield* this.#pause()
      if (selector.type === 'name') {
        if (!tape.isNamed(child, selector.name)) continue
        selected.push(child)
        return
      }
      if (selector.type === 'wildcard' || (yield* this.test(selector.test, child))) selected.push(child)
      if (selected.length > MAX_SELECTED) throw new TooManySelected()
    }
  }

  *#applyPlaces(
    selector: SliceSelector | { readonly type: 'index'; readonly index: number },
    node: JsonNode,
    selected: JsonNode[],
  ): Evaluation<void> {
    if (selector.type === 'index' && selector.index >= 0) {
      const child = yield* this.#childAt(node, selector.index)
      if (child !== undefined) selected.push(child)
      return
    }
    const children = yield* this.#children(node)
    if (selector.type === 'index') {
      const child = children.at(selector.index)
      if (child !== undefined) selected.push(child)
      return
    }
    for (const index of sliceIndexes(selector, children.length)) {
      if (++this.#steps > STEPS_OF_A_SLICE) yield* this.#pause()
      selected.push(children[index]!)
    }
  }

  *#childAt(node: JsonNode, index: number): Evaluation<JsonNode | undefined> {
    const end = this.#tape.next(node)
    let left = index
    for (let child = node + 1; child < end; child = this.#tape.next(child)) {
      if (++this.#steps > STEPS_OF_A_SLICE) yield* this.#pause()
      if (left-- === 0) return child
    }
    return undefined
  }

  *#children(node: JsonNode): Evaluation<readonly JsonNode[]> {
    const children: JsonNode[] = []
    const end = this.#tape.next(node)
    for (let child = node + 1; child < end; child = this.#tape.next(child)) {
      if (++this.#steps > STEPS_OF_A_SLICE) yield* this.#pause()
      children.push(child)
    }
    return children
  }

  *test(test: Test, node: JsonNode): Evaluation<boolean> {
    switch (test.type) {
      case 'and':
        return (yield* this.test(test.left, node)) && (yield* this.test(test.right, node))
      case 'or':
        return (yield* this.test(test.left, node)) || (yield* this.test(test.right, node))
      case 'not':
        return !(yield* this.test(test.test, node))
      case 'exists':
        return (yield* this.#query(test.query, node)).length > 0
      case 'compare': {
        const left = yield* this.#operand(test.left, node)
        const right = yield* this.#operand(test.right, node)
        return yield* this.#compare(test.operator, left, right)
      }
      case 'match': {
        const text = yield* this.#operand(test.text, node)
        const pattern = yield* this.#operand(test.pattern, node)
        if (typeof text !== 'string' || typeof pattern !== 'string') return false
        const expression = this.#expressions.get(pattern, test.whole)
        if (expression === undefined) return false
        return yield* expression(text)
      }
    }
  }

  *#query(query: Query, node: JsonNode): Evaluation<readonly JsonNode[]> {
    if (!query.fromRoot) return yield* this.select(query.segments, node)
    const known = this.#fromRoot.get(query)
    if (known !== undefined) return known
    const selected = yield* this.select(query.segments)
    this.#fromRoot.set(query, selected)
    return selected
  }

  *#operand(operand: Operand, node: JsonNode): Evaluation<Compared> {
    switch (operand.type) {
      case 'literal':
        return operand.value
      case 'count':
        return (yield* this.#query(operand.query, node)).length
      case 'value': {
        const selected = yield* this.#query(operand.query, node)
        return selected.length === 1 ? yield* this.#value(selected[0]!) : undefined
      }
      case 'length': {
        const value = yield* this.#operand(operand.of, node)
        if (typeof value === 'string') return countCharacters(value)
        return typeof value === 'object' && value !== null ? (yield* this.#children(value.node)).length : undefined
      }
    }
  }

  *#value(node: JsonNode): Evaluation<Compared> {
    const tape = this.#tape
    if (tape.isArray(node) || tape.isObject(node)) return { node }
    yield* this.#work((tape.end(node) - tape.start(node)) / BYTES_PER_STEP)
    return tape.scalar(node)
  }

  *#compare(operator: Comparison, left: Compared, right: Compared): Evaluation<boolean> {
    switch (operator) {
      case '==':
        return yield* this.#equal(left, right)
      case '!=':
        return !(yield* this.#equal(left, right))
      case '<':
        return isLess(left, right)
      case '>':
        return isLess(right, left)
      case '<=':
        return isLess(left, right) || (yield* this.#equal(left, right))
      case '>=':
        return isLess(right, left) || (yield* this.#equal(left, right))
    }
  }

  /** Deep equality. The order of members is irrelevant. */
  *#equal(left: Compared, right: Compared): Evaluation<boolean> {
    const pairs: [Compared, Compared][] = [[left, right]]
    for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
      const [one, other] = pair
      const isHolder = typeof one === 'object' && one !== null && typeof other === 'object' && other !== null
      if (!isHolder) {
        if (one !== other) return false
        continue
      }
      const held = yield* this.#heldPairs(one.node, other.node)
      if (held === undefined) return false
      for (const [inner, otherInner] of held) pairs.push([yield* this.#value(inner), yield* this.#value(otherInner)])
    }
    return true
  }

  *#heldPairs(one: JsonNode, other: JsonNode): Evaluation<readonly [JsonNode, JsonNode][] | undefined> {
    const tape = this.#tape
    if (tape.isObject(one) !== tape.isObject(other)) return undefined
    const inner = yield* this.#children(one)
    const otherInner = yield* this.#children(other)
    if (inner.length !== otherInner.length) return undefined
    if (!tape.isObject(one)) return inner.map((node, index) => [node, otherInner[index]!])
    const byKey = new Map<string, JsonNode>()
    for (const member of otherInner) {
      yield* this.#work(1)
      byKey.set(tape.key(member), member)
    }
    const pairs: [JsonNode, JsonNode][] = []
    for (const member of inner) {
      yield* this.#work(1)
      const same = byKey.get(tape.key(member))
      if (same === undefined) return undefined
      pairs.push([member, same])
    }
    return pairs
  }
}

export function* sliceIndexes({ start, end, step }: SliceSelector, length: number): Generator<number> {
  const place = (index: number): number => (index >= 0 ? index : length + index)
  const within = (index: number, least: number, most: number): number => Math.min(Math.max(index, least), most)
  if (step > 0) {
    const to = within(place(end ?? length), 0, length)
    for (let index = within(place(start ?? 0), 0, length); index < to; index += step) yield index
  } else if (step < 0) {
    const to = end === undefined ? -1 : within(place(end), -1, length - 1)
    for (let index = within(start === undefined ? length - 1 : place(start), -1, length - 1); index > to; index += step)
      yield index
  }
}

function isLess(left: Compared, right: Compared): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right
  return typeof left === 'string' && typeof right === 'string' && left < right
}

function countCharacters(text: string): number {
  let count = text.length
  for (const _ of text.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)) count--
  return count
}

/** Cached expressions of one path, since expressions may come from the content. */
const MAX_KEPT = 64

/**
 * Compile the I-Regexps (RFC 9485) of a path, and other syntax that models write. Invalid ones match nothing (RFC
 * 9535).
 */
export class TextExpressions {
  readonly #kept = new Map<string, TextTest | undefined>()

  get(pattern: string, whole: boolean): TextTest | undefined {
    const key = (whole ? 'm' : 's') + pattern
    if (this.#kept.has(key)) return this.#kept.get(key)
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    const test = createTextTest(replaceDots(pattern), whole)
    this.#kept.set(key, test)
    return test
  }
}

function replaceDots(pattern: string): string {
  return pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\./g, (part) => (part === '.' ? '[^\\n\\r]' : part))
}
