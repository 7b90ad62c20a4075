import { RegExpParser, type AST } from '@eslint-community/regexpp'

/** The first match of a backtracking engine in a text, and its number of steps. */
export interface CountedSearch {
  /** Start and end of the first match. Absent without a match. */
  readonly match?: readonly [start: number, end: number]
  /** Number of steps to find all matches, one after another. */
  readonly steps: number
  /** Set if the limit of steps was reached before the end. */
  readonly isCut: boolean
}

/**
 * Search a text as ECMAScript specifies it, without the optimizations of real engines, and count the steps: visits of
 * nodes, branches and iterations, and characters that references compare.
 *
 * For expressions with the flag `s`. `i` and `(?i:…)` are allowed if there are no references. `u` is not allowed.
 */
export function searchCounting(source: string, flags: string, text: string, mostSteps: number): CountedSearch {
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode: false })
  const engine = new Engine(text, flags, mostSteps)
  let match: readonly [number, number] | undefined
  try {
    for (let start = 0; start <= text.length; start++) {
      const end = engine.matchAt(pattern, start)
      if (end === undefined) continue
      match ??= [start, end]
      start = Math.max(start, end - 1)
    }
  } catch (error) {
    if (!(error instanceof StepsSpent)) throw error
    return { ...(match && { match }), steps: engine.steps, isCut: true }
  }
  return { ...(match && { match }), steps: engine.steps, isCut: false }
}

class StepsSpent extends Error {}

type Next = (at: number) => boolean
type Captures = (readonly [start: number, end: number] | undefined)[]

class Engine {
  steps = 0
  readonly #text: string
  readonly #flags: string
  readonly #mostSteps: number
  readonly #characters = new Map<AST.Element, RegExp>()
  readonly #inside = new Map<AST.Quantifier, readonly number[]>()
  #captures: Captures = []
  #groups: AST.CapturingGroup[] = []

  constructor(text: string, flags: string, mostSteps: number) {
    this.#text = text
    this.#flags = flags
    this.#mostSteps = mostSteps
  }

  matchAt(pattern: AST.Pattern, start: number): number | undefined {
    this.#step()
    this.#captures = []
    if (this.#groups.length === 0) this.#groups = groupsIn(pattern.alternatives)
    let end: number | undefined
    this.#matchBranches(pattern.alternatives, start, false, (at) => {
      end = at
      return true
    })
    return end
  }

  #step(): void {
    if (++this.steps > this.#mostSteps) throw new StepsSpent()
  }

  #matchBranches(branches: readonly AST.Alternative[], at: number, isBehind: boolean, next: Next): boolean {
    if (branches.length > 1) this.#step()
    return branches.some(({ elements }) => {
      if (branches.length > 1) this.#step()
      return this.#matchRow(isBehind ? elements.toReversed() : elements, 0, at, isBehind, next)
    })
  }

  #matchRow(row: readonly AST.Element[], index: number, at: number, isBehind: boolean, next: Next): boolean {
    const element = row[index]
    if (element === undefined) return next(at)
    return this.#match(element, at, isBehind, (then) => this.#matchRow(row, index + 1, then, isBehind, next))
  }

  #match(node: AST.Element, at: number, isBehind: boolean, next: Next): boolean {
    switch (node.type) {
      case 'Quantifier':
        return this.#repeat(node, 0, at, isBehind, next)
      case 'Group':
        return this.#matchBranches(node.alternatives, at, isBehind, next)
      case 'CapturingGroup':
        return this.#capture(node, at, isBehind, next)
      case 'Backreference':
        return this.#compare(node, at, isBehind, next)
      case 'Assertion':
        return this.#assert(node, at, next)
      default:
        return this.#matchCharacter(node, at, isBehind, next)
    }
  }

  #repeat(node: AST.Quantifier, count: number, at: number, isBehind: boolean, next: Next): boolean {
    this.#step()
    const inside = this.#groupsInside(node)
    const again = (): boolean => {
      if (count >= node.max) return false
      const before = inside.length > 0 ? [...this.#captures] : this.#captures
      for (const index of inside) this.#captures[index] = undefined
      const isMatch = this.#match(node.element, at, isBehind, (then) =>
        then === at && count >= node.min ? false : this.#repeat(node, count + 1, then, isBehind, next),
      )
      if (!isMatch) this.#captures = before
      return isMatch
    }
    const leave = (): boolean => count >= node.min && next(at)
    return node.greedy ? again() || leave() : leave() || again()
  }

  #groupsInside(node: AST.Quantifier): readonly number[] {
    const known = this.#inside.get(node)
    if (known !== undefined) return known
    const groups = groupsInElement(node.element).map((group) => this.#groups.indexOf(group))
    this.#inside.set(node, groups)
    return groups
  }

  #capture(node: AST.CapturingGroup, at: number, isBehind: boolean, next: Next): boolean {
    const index = this.#groups.indexOf(node)
    return this.#matchBranches(node.alternatives, at, isBehind, (then) => {
      const before = this.#captures[index]
      this.#captures[index] = isBehind ? [then, at] : [at, then]
      if (next(then)) return true
      this.#captures[index] = before
      return false
    })
  }

  #compare(node: AST.Backreference, at: number, isBehind: boolean, next: Next): boolean {
    this.#step()
    const groups = Array.isArray(node.resolved) ? node.resolved : [node.resolved]
    const [start, end] = groups.map((group) => this.#captures[this.#groups.indexOf(group)]).find(Boolean) ?? [0, 0]
    const from = isBehind ? at - (end - start) : at
    if (from < 0 || from + end - start > this.#text.length) return false
    for (let unit = 0; unit < end - start; unit++) {
      this.#step()
      if (this.#text[start + unit] !== this.#text[from + unit]) return false
    }
    return next(isBehind ? from : at + end - start)
  }

  #assert(node: AST.Assertion, at: number, next: Next): boolean {
    this.#step()
    if (!('alternatives' in node)) return this.#isEdge(node, at) && next(at)
    const before = [...this.#captures]
    const isMatch = this.#matchBranches(node.alternatives, at, node.kind === 'lookbehind', () => true)
    if (node.negate) this.#captures = before
    if (isMatch !== node.negate && next(at)) return true
    this.#captures = before
    return false
  }

  #isEdge(node: AST.BoundaryAssertion, at: number): boolean {
    if (node.kind === 'word') return (this.#isWord(at - 1) !== this.#isWord(at)) !== node.negate
    return at === (node.kind === 'start' ? 0 : this.#text.length)
  }

  #isWord(at: number): boolean {
    return /\w/.test(this.#text[at] ?? '')
  }

  #matchCharacter(node: AST.Element, at: number, isBehind: boolean, next: Next): boolean {
    this.#step()
    const character = this.#text[isBehind ? at - 1 : at]
    if (character === undefined) return false
    const expression = this.#characters.get(node) ?? new RegExp(`^${node.raw}$`, flagsAt(node, this.#flags))
    this.#characters.set(node, expression)
    return expression.test(character) && next(isBehind ? at - 1 : at + 1)
  }
}

/** Return the flags of the innermost group around a node that changes them. */
function flagsAt(node: AST.Element, flags: string): string {
  for (let at: AST.Node | null = node; at !== null; at = at.parent) {
    const modifiers = at.type === 'Group' ? at.modifiers : null
    if (modifiers?.add.ignoreCase) return `${flags.replace('i', '')}i`
    if (modifiers?.remove?.ignoreCase) return flags.replace('i', '')
  }
  return flags
}

function groupsIn(branches: readonly AST.Alternative[]): AST.CapturingGroup[] {
  return branches.flatMap(({ elements }) => elements.flatMap(groupsInElement))
}

function groupsInElement(node: AST.Element): AST.CapturingGroup[] {
  if (node.type === 'Quantifier') return groupsInElement(node.element)
  const inside = 'alternatives' in node ? groupsIn(node.alternatives) : []
  return node.type === 'CapturingGroup' ? [node, ...inside] : inside
}
