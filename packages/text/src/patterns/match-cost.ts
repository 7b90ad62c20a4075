/**
 * A proven upper bound for the work of a backtracking engine.
 *
 * **Steps.** An engine matches a node at a position and then calls the continuation of the node, `next`. If `next`
 * fails, the engine tries the next way to match the node. A step is one visit of a node, of a branch, or of an
 * iteration, or the comparison of one character by a reference. All ways are counted, so it does not matter whether a
 * repeat is greedy.
 *
 * **Nodes.** At any position, a node takes at most `cost` steps, not counting `next`. It calls `next` at most `calls`
 * times. At most `live` of these calls are live. A call is live if a match of `next` can begin with the next character
 * or the edge (`follow`). All other calls fail without matching a character, and `failure` is a bound for their steps.
 * So for a sequence `a b`: `cost = a.cost + a.live × b.cost + (a.calls − a.live) × failure(b)`. The continuation of the
 * whole expression cannot fail, because the search ends there. So its `follow` is empty.
 *
 * **Repeats.** If the body has at most one live call, each position has only one chain of iterations. The chain has at
 * most `max` iterations, and at most one for each character, because engines reject empty optional iterations. Each
 * position of the chain calls the body once and `next` once. If no match of `next` can begin like the body, only the
 * last position is live for `next`. Otherwise all positions are live. If the body has more live calls, the iterations
 * branch. A limited repeat multiplies them, and an unlimited repeat gives `Infinity`. So `(a+)+`, `(a|a)*` and
 * `(\w+\s?)*` are rejected, and `(\w+\s)*` is accepted.
 *
 * **Look-around** is matched separately, has one way, and costs as much as its body. **References** also have one way.
 *
 * **Choices** try all branches. The live calls of all branches add up, unless the branches cannot match at the same
 * position. Such branches begin with different characters, or differ in a later character after the same number of
 * characters.
 *
 * **The search** starts at each of `n + 1` positions, unless all branches begin with `^`. If the end of the expression
 * always matches, its cost is counted once for each match, by its characters. Assume that no run (`\s*`, `[^"]*`) can
 * contain the first character of a match. Then no start is inside a run of an earlier start, so each character is in
 * the runs of only a few starts. Their number is at most the width of the rest of the expression plus one. So the
 * starts do not multiply the runs.
 *
 * Sets of characters may be replaced by supersets, for example with the flag `i`. A superset only raises the bound. The
 * bound holds for all consecutive matches together, for each line, and for the whole text, because the sum of powers is
 * at most the power of the sum.
 */
import {
  areDisjoint,
  EVERY_CHARACTER,
  NO_CHARACTER,
  TEXT_EDGE,
  unionOf,
  type CharacterSet,
  type PatternNode,
  type RepeatNode,
} from './pattern-tree.ts'

/** An upper bound on the steps of a search in a line of `n` UTF-16 units: `factor * n ** degree + factor`. */
export interface PatternCost {
  /** At least 1. `Infinity` if no bound could be proven. */
  readonly degree: number
  readonly factor: number
}

const UNKNOWN_COST: PatternCost = { degree: Infinity, factor: Infinity }

export function matchCost(tree: PatternNode): PatternCost {
  const total = searchCost(tree)
  if (isUnbounded(total)) return UNKNOWN_COST
  const [constant, ...others] = total
  const factor = others.reduce((all, coefficient) => all + coefficient, 0)
  return { degree: Math.max(1, others.length), factor: Math.max(constant!, factor) }
}

function searchCost(tree: PatternNode): Polynomial {
  const analysis = new Analysis()
  const { head, tailCost } = splitTail(tree, (node) => {
    const { cost } = analysis.ways(node, NO_CHARACTER)
    return isConstant(cost) ? cost[0] : undefined
  })
  const { cost } = analysis.ways(head, NO_CHARACTER)
  const places: Polynomial = [1, 1]
  const tail = product([tailCost], [1, 2])
  const atEach = 1 + cost[0]!
  const anchored = anchorCost(head)
  if (anchored !== undefined) return sum(cost, product(places, [atEach + anchored]), tail)
  // The largest number of characters in a match at which another match can start.
  const { set, isEmpty } = analysis.first.of(head)
  const width = isEmpty ? Infinity : widthWithoutRuns(head, set)
  if (width === Infinity) return sum(product(places, sum(ONE, cost)), tail)
  return sum(product(places, [atEach]), product([width + 1], [0, ...cost.slice(1)]), tail)
}

/** Bounds for a node if the next character cannot begin a match. */
interface Failure {
  readonly cost: Polynomial
  readonly calls: Polynomial
}

/** Bounds for a node and its calls of the continuation. */
interface Ways extends Failure {
  readonly live: Polynomial
}

const ONE: Polynomial = [1]
const ONE_WAY: Ways = { cost: ONE, calls: ONE, live: ONE }
/** Largest count of a repeat. A larger repeat counts as unlimited, since the length of the line limits it too. */
const GREATEST_COUNT = 1_000
const MOST_BRANCHES = 100
/** Largest number of ranges in a set. Larger sets are replaced by a superset. */
const MOST_RANGES = 64

class Analysis {
  readonly first = new FirstCharacters()
  readonly #failures = new Map<PatternNode, Failure>()

  ways(node: PatternNode, follow: CharacterSet): Ways {
    switch (node.kind) {
      case 'character':
      case 'edge':
      case 'boundary':
        return ONE_WAY
      case 'look':
      case 'reference':
        return { ...ONE_WAY, cost: this.failure(node).cost }
      case 'sequence':
        return this.#sequenceWays(node.parts, follow)
      case 'choice':
        return this.#choiceWays(node.branches, follow)
      case 'repeat':
        return this.#repeatWays(node, follow)
    }
  }

  /** Return the bounds for a node that fails, or that has an empty match before another node fails. */
  failure(node: PatternNode): Failure {
    const known = this.#failures.get(node)
    if (known !== undefined) return known
    const failure = this.#computeFailure(node)
    this.#failures.set(node, failure)
    return failure
  }

  #sequenceWays(parts: readonly PatternNode[], follow: CharacterSet): Ways {
    let ways: Ways = { cost: ZERO, calls: ONE, live: ONE }
    let failure: Failure = { cost: ZERO, calls: ONE }
    let begin = follow
    for (const part of parts.toReversed()) {
      const own = this.ways(part, begin)
      const dead = excess(own.calls, own.live)
      ways = {
        cost: sum(own.cost, product(dead, failure.cost), product(own.live, greatest(ways.cost, failure.cost))),
        calls: sum(product(dead, failure.calls), product(own.live, greatest(ways.calls, failure.calls))),
        live: product(own.live, ways.live),
      }
      failure = inSequence(this.failure(part), failure)
      begin = simplified(this.first.before(part, begin))
    }
    return ways
  }

  #choiceWays(branches: readonly PatternNode[], follow: CharacterSet): Ways {
    const all = branches.map((branch) => this.ways(branch, follow))
    const groups = this.#groupsOfBranches(branches, follow)
    return {
      cost: sum([branches.length + 1], ...all.map(({ cost }) => cost)),
      calls: sum(...all.map(({ calls }) => calls)),
      live: greatest(...groups.map((group) => sum(...group.map((index) => all[index]!.live)))),
    }
  }

  /** Group the branches of a choice. Only branches of the same group can match at the same position. */
  #groupsOfBranches(branches: readonly PatternNode[], follow: CharacterSet): readonly (readonly number[])[] {
    const indexes = [...branches.keys()]
    if (branches.length > MOST_BRANCHES) return [indexes]
    const begins = branches.map((branch) => simplified(this.first.before(branch, follow)))
    const rows = branches.map(leadingSets)
    let groups: number[][] = []
    for (const index of indexes) {
      const meets = (other: number): boolean =>
        !areDisjoint(begins[index]!, begins[other]!) && !differ(rows[index]!, rows[other]!)
      const joined = groups.filter((group) => group.some(meets))
      groups = [...groups.filter((group) => !joined.includes(group)), [...joined.flat(), index]]
    }
    return groups
  }

  #repeatWays(node: RepeatNode, follow: CharacterSet): Ways {
    const { body, min, max } = node
    if (max === 0) return ONE_WAY
    const first = this.first.of(body)
    const own = this.ways(body, simplified(unionOf(first.set, follow)))
    const failure = this.failure(node)
    const isChain = isAtMostOne(own.live)
    if (!isChain && max === Infinity) return { cost: UNBOUNDED, calls: UNBOUNDED, live: UNBOUNDED }
    const places = isChain ? chainLength(node) : geometric(own.live, max)
    return {
      cost: product(places, sum(ONE, own.cost, product(own.calls, sum(failure.cost, ONE)))),
      calls: product(places, sum(ONE, product(own.calls, sum(failure.calls, ONE)))),
      live: isChain
        ? min === max || (!first.isEmpty && areDisjoint(first.set, follow))
          ? ONE
          : places
        : min === max
          ? power(own.live, max)
          : places,
    }
  }

  #computeFailure(node: PatternNode): Failure {
    switch (node.kind) {
      case 'character':
        return { cost: ONE, calls: ZERO }
      case 'edge':
        return { cost: ONE, calls: node.ahead ? ZERO : ONE }
      case 'boundary':
        return { cost: ONE, calls: ONE }
      case 'look':
        return { cost: sum(ONE, this.ways(node.body, NO_CHARACTER).cost), calls: ONE }
      case 'reference':
        return { cost: [1, 1], calls: ONE }
      case 'sequence':
        return node.parts.reduceRight<Failure>((failure, part) => inSequence(this.failure(part), failure), {
          cost: ZERO,
          calls: ONE,
        })
      case 'choice': {
        const all = node.branches.map((branch) => this.failure(branch))
        return {
          cost: sum([all.length + 1], ...all.map(({ cost }) => cost)),
          calls: sum(...all.map(({ calls }) => calls)),
        }
      }
      case 'repeat':
        return this.#repeatFailure(node)
    }
  }

  #repeatFailure({ body, min, max }: RepeatNode): Failure {
    if (max === 0) return { cost: ONE, calls: ONE }
    const { cost, calls } = this.failure(body)
    const iteration = sum(ONE, cost, calls)
    if (!this.first.of(body).isEmpty) return { cost: sum(ONE, iteration), calls: min === 0 ? ONE : ZERO }
    return { cost: product(geometric(calls, min), sum(ONE, iteration)), calls: power(calls, min) }
  }
}

function inSequence(own: Failure, behind: Failure): Failure {
  return { cost: sum(own.cost, product(own.calls, behind.cost)), calls: product(own.calls, behind.calls) }
}

/** Return the maximum number of positions in a chain of iterations, including the position before the first. */
function chainLength({ body, min, max }: RepeatNode): Polynomial {
  if (max <= GREATEST_COUNT) return [max + 1]
  return consumes(body) ? [1, 1] : [min + 1, 1]
}

function leadingSets(branch: PatternNode): readonly CharacterSet[] {
  const parts = branch.kind === 'sequence' ? branch.parts : [branch]
  const sets: CharacterSet[] = []
  for (const part of parts) {
    if (part.kind === 'character') sets.push(part.set)
    else if (part.kind !== 'boundary' && part.kind !== 'edge' && part.kind !== 'look') break
  }
  return sets
}

function differ(one: readonly CharacterSet[], other: readonly CharacterSet[]): boolean {
  return one.some((set, index) => index < other.length && areDisjoint(set, other[index]!))
}

function simplified(set: CharacterSet): CharacterSet {
  return set.length <= MOST_RANGES ? set : [[set[0]![0], set.at(-1)![1]]]
}

/** Return the cost of attempts outside of line starts. Returns `undefined` unless all branches begin with `^`. */
function anchorCost(node: PatternNode): number | undefined {
  if (node.kind === 'edge') return node.ahead ? undefined : 1
  if (node.kind === 'sequence') return node.parts[0] && anchorCost(node.parts[0])
  if (node.kind === 'repeat') {
    const cost = node.min > 0 ? anchorCost(node.body) : undefined
    return cost === undefined ? undefined : cost + 2
  }
  if (node.kind !== 'choice') return undefined
  const costs = node.branches.map(anchorCost)
  return costs.every((cost) => cost !== undefined) ? costs.reduce((all, cost) => all + cost + 1, 1) : undefined
}

function widthWithoutRuns(node: PatternNode, starts: CharacterSet): number {
  switch (node.kind) {
    case 'character':
      return 1
    case 'edge':
    case 'boundary':
      return 0
    case 'look':
    case 'reference':
      return Infinity
    case 'sequence':
      return node.parts.reduce((width, part) => width + widthWithoutRuns(part, starts), 0)
    case 'choice':
      return Math.max(...node.branches.map((branch) => widthWithoutRuns(branch, starts)))
    case 'repeat': {
      if (node.max === 0) return 0
      const isRun = node.body.kind === 'character' && areDisjoint(node.body.set, starts)
      const width = isRun ? 0 : widthWithoutRuns(node.body, starts)
      if (width === 0) return 0
      // A larger repeat counts as unlimited.
      return node.max > GREATEST_COUNT ? Infinity : width * node.max
    }
  }
}

/** A bound for a length `n`, as coefficients of powers of `n`: not negative, and the constant first. */
export type Polynomial = readonly number[]
const ZERO: Polynomial = [0]
const UNBOUNDED: Polynomial = [Infinity]
const GREATEST_DEGREE = 16
/** Largest coefficient. Larger numbers are not exact. */
const GREATEST_COEFFICIENT = Number.MAX_SAFE_INTEGER

export function sum(...polynomials: readonly Polynomial[]): Polynomial {
  const length = Math.max(1, ...polynomials.map((one) => one.length))
  const total = Array.from({ length }, (_, power) => polynomials.reduce((all, one) => all + (one[power] ?? 0), 0))
  return bounded(total)
}

export function product(one: Polynomial, other: Polynomial): Polynomial {
  if (isZero(one) || isZero(other)) return ZERO
  const all = Array.from({ length: one.length + other.length - 1 }, () => 0)
  for (const [power, coefficient] of one.entries()) {
    for (const [otherPower, otherCoefficient] of other.entries()) {
      if (coefficient !== 0 && otherCoefficient !== 0) all[power + otherPower]! += coefficient * otherCoefficient
    }
  }
  return bounded(all)
}

export function power(base: Polynomial, exponent: number): Polynomial {
  let result = ONE
  for (let count = 0; count < exponent; count++) {
    const next = product(result, base)
    // Powers of 0 and 1 are constant. All other powers reach the limit and become unbounded.
    if (isUnbounded(next) || (next.length === result.length && next.every((one, at) => one === result[at]))) return next
    result = next
  }
  return result
}

export function geometric(base: Polynomial, last: number): Polynomial {
  if (isAtMostOne(base)) return [last + 1]
  let total = ONE
  let term = ONE
  for (let exponent = 1; exponent <= last && !isUnbounded(total); exponent++) {
    term = product(term, base)
    total = sum(total, term)
  }
  return total
}

export function greatest(...polynomials: readonly Polynomial[]): Polynomial {
  const length = Math.max(1, ...polynomials.map((one) => one.length))
  return Array.from({ length }, (_, power) => Math.max(...polynomials.map((one) => one[power] ?? 0)))
}

/** Return an upper bound of the difference of two polynomials, without negative coefficients. */
export function excess(one: Polynomial, other: Polynomial): Polynomial {
  if (isUnbounded(one)) return UNBOUNDED
  return bounded(one.map((coefficient, power) => Math.max(0, coefficient - (other[power] ?? 0))))
}

export function isAtMostOne(polynomial: Polynomial): boolean {
  return polynomial[0]! <= 1 && polynomial.every((coefficient, power) => power === 0 || coefficient === 0)
}

export function isConstant(polynomial: Polynomial): boolean {
  return !isUnbounded(polynomial) && polynomial.every((coefficient, power) => power === 0 || coefficient === 0)
}

export function isUnbounded(polynomial: Polynomial): boolean {
  return polynomial[0] === Infinity
}

function isZero(polynomial: Polynomial): boolean {
  return polynomial.every((coefficient) => coefficient === 0)
}

function bounded(coefficients: number[]): Polynomial {
  while (coefficients.length > 1 && coefficients.at(-1) === 0) coefficients.pop()
  const isUsable =
    coefficients.length <= GREATEST_DEGREE + 1 && coefficients.every((one) => one <= GREATEST_COEFFICIENT)
  return isUsable ? coefficients : UNBOUNDED
}

/** An expression in two parts. If the head matches, the tail always matches. */
interface SplitPattern {
  readonly head: PatternNode
  /** Largest cost of one character of the tail, and of its end. */
  readonly tailCost: number
}

/** Returns the largest cost of a node, or `undefined` if the cost depends on the length of the line. */
type ConstantCost = (node: PatternNode) => number | undefined

/** Split off an end that always matches, with a cost proportional to its characters, for example `.*` in `ERROR.*`. */
function splitTail(node: PatternNode, constantCost: ConstantCost): SplitPattern {
  const steady = steadyCost(node, constantCost)
  if (steady !== undefined) return { head: { kind: 'sequence', parts: [] }, tailCost: steady }
  if (node.kind === 'sequence') return splitSequence(node.parts, constantCost)
  if (node.kind === 'choice') {
    const branches = node.branches.map((branch) => splitTail(branch, constantCost))
    return {
      head: { kind: 'choice', branches: branches.map(({ head }) => head) },
      tailCost: branches.reduce((cost, branch) => cost + branch.tailCost, 0),
    }
  }
  if (node.kind !== 'repeat' || node.min === node.max || node.min === 0) return { head: node, tailCost: 0 }
  const rest = steadyCost({ ...node, min: 0, max: node.max - node.min }, constantCost)
  if (rest === undefined) return { head: node, tailCost: 0 }
  const first = node.min === 1 ? splitTail(node.body, constantCost) : { head: { ...node, max: node.min }, tailCost: 0 }
  return { head: first.head, tailCost: first.tailCost + rest }
}

function splitSequence(parts: readonly PatternNode[], constantCost: ConstantCost): SplitPattern {
  const last = parts.at(-1)
  if (last === undefined) return { head: { kind: 'sequence', parts }, tailCost: 0 }
  const { head, tailCost } = splitTail(last, constantCost)
  if (head === last) return { head: { kind: 'sequence', parts }, tailCost }
  const rest = [...parts.slice(0, -1), ...(head.kind === 'sequence' ? head.parts : [head])]
  const isGone = head.kind === 'sequence' && head.parts.length === 0
  if (!isGone || rest.length === 0) return { head: { kind: 'sequence', parts: rest }, tailCost }
  const before = splitSequence(rest, constantCost)
  return { head: before.head, tailCost: tailCost + before.tailCost }
}

/** Return the `tailCost` of a node that always matches, otherwise `undefined`. Engines enter the node only once. */
function steadyCost(node: PatternNode, constantCost: ConstantCost): number | undefined {
  if (node.kind === 'repeat') {
    if (node.min > 0 || (node.max > 0 && !consumes(node.body))) return undefined
    const { head, tailCost } = splitTail(node.body, constantCost)
    const cost = constantCost(head)
    return cost === undefined ? undefined : 2 * (2 + cost + tailCost)
  }
  if (node.kind !== 'choice' || !node.branches.some((branch) => steadyCost(branch, constantCost) !== undefined)) {
    return undefined
  }
  return constantCost(node)
}

interface First {
  /** A superset of the first characters of a match. The set includes the edge if the node can match the edge. */
  readonly set: CharacterSet
  /** Whether the first character may belong to the continuation, as there is an empty match other than the edge. */
  readonly isEmpty: boolean
}

class FirstCharacters {
  readonly #known = new Map<PatternNode, First>()

  of(node: PatternNode): First {
    const known = this.#known.get(node)
    if (known !== undefined) return known
    const first = this.#compute(node)
    this.#known.set(node, first)
    return first
  }

  before(node: PatternNode, follow: CharacterSet): CharacterSet {
    const { set, isEmpty } = this.of(node)
    return isEmpty ? unionOf(set, follow) : set
  }

  #compute(node: PatternNode): First {
    switch (node.kind) {
      case 'character':
        return { set: node.set, isEmpty: false }
      case 'edge':
        return node.ahead ? { set: TEXT_EDGE, isEmpty: false } : { set: NO_CHARACTER, isEmpty: true }
      case 'boundary':
      case 'look':
        return { set: NO_CHARACTER, isEmpty: true }
      case 'reference':
        return { set: unionOf(EVERY_CHARACTER, TEXT_EDGE), isEmpty: true }
      case 'sequence':
        return this.#ofSequence(node.parts)
      case 'choice': {
        const branches = node.branches.map((branch) => this.of(branch))
        return { set: unionOf(...branches.map(({ set }) => set)), isEmpty: branches.some(({ isEmpty }) => isEmpty) }
      }
      case 'repeat': {
        if (node.max === 0) return { set: NO_CHARACTER, isEmpty: true }
        const { set, isEmpty } = this.of(node.body)
        return { set, isEmpty: isEmpty || node.min === 0 }
      }
    }
  }

  #ofSequence(parts: readonly PatternNode[]): First {
    const sets: CharacterSet[] = []
    for (const part of parts) {
      const { set, isEmpty } = this.of(part)
      sets.push(set)
      if (!isEmpty) return { set: unionOf(...sets), isEmpty: false }
    }
    return { set: unionOf(...sets), isEmpty: true }
  }
}

function consumes(node: PatternNode): boolean {
  switch (node.kind) {
    case 'character':
      return true
    case 'sequence':
      return node.parts.some(consumes)
    case 'choice':
      return node.branches.every(consumes)
    case 'repeat':
      return node.min > 0 && consumes(node.body)
    default:
      return false
  }
}
