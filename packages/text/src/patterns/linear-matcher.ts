/**
 * Matches expressions without look-around and backreferences, in time proportional to program size × text. The matcher
 * is a deterministic automaton that creates its states when they are first needed, like RE2.
 * A state is a list of positions in the program, the preferred ones first. It also stores whether a match ends before
 * the character that leads to the state, because `$` and `\b` depend on the next character. The forward automaton finds
 * the end of the match that JavaScript would find. From this end, the backward automaton finds the start of the match.
 * The engine of the runtime decides about classes and case. Each character is tested only once.
 */
import { LONG_LINE_LENGTH } from '../platform/platform.ts'
import type { ByteSpan } from './match-lines.ts'
import { EVERY_CHARACTER, parseExpression, patternTree, type PatternNode, type RepeatNode } from './pattern-tree.ts'

/** Largest number of positions in a program. A counted repeat has a copy of its body for each count. */
const MAX_PROGRAM = 30_000
/** Work between two yields, about 2 ms. Each character counts 1, and each program position of a new state, too. */
const WORK_OF_A_SLICE = 200_000
const LARGE_PROGRAM = 100
/** Largest number of positions and transitions of an automaton, about 8 MB. Then its states are deleted. */
const MAX_KEPT = 2_000_000

/** Create a matcher for an expression with the flag `s`. Returns `undefined` for look-around and large expressions. */
export function createLinearMatcher(expression: string, letters: string): LinearMatcher | undefined {
  const flags = { ignoreCase: letters.includes('i'), unicode: letters.includes('u') }
  const pattern = parseExpression(expression, flags.unicode)
  const alphabet = new Alphabet(letters)
  const forward = compile(patternTree(pattern, flags), alphabet, true)
  const backward = compile(patternTree(pattern, flags, true), alphabet, false)
  if (forward === undefined || backward === undefined) return undefined
  return new LinearMatcher(alphabet, forward, backward)
}

interface LinePart {
  readonly from: number
  readonly until: number
  /** Whether the line continues after this part. Then `$` and `\b` do not match at the end of the part. */
  readonly goesOn: boolean
}

export class LinearMatcher {
  readonly #alphabet: Alphabet
  readonly #forward: Automaton
  readonly #backward: Automaton
  /** Finds only whether there is a match. For a large program, this needs fewer states than finding the match. */
  readonly #any: Automaton | undefined

  /** @internal */
  constructor(alphabet: Alphabet, forward: Program, backward: Program) {
    this.#alphabet = alphabet
    this.#forward = automaton(forward, alphabet, 'preferred')
    this.#backward = automaton(backward, alphabet, 'longest')
    const isLarge = forward.instructions.length > LARGE_PROGRAM
    this.#any = isLarge ? automaton(forward, alphabet, 'any') : undefined
  }

  /**
   * Report the first match in a line. In a very long line, report all further matches that are not empty, too. Matches
   * start at or after `from`, and before `until`. The generator yields about every 2 ms.
   */
  *matchLine(
    line: string,
    take: (start: number, end: number) => void,
    { from, until, goesOn }: LinePart = { from: 0, until: Infinity, goesOn: false },
  ): Generator<undefined, void> {
    for (let at = from, isFirst = true; at <= line.length; isFirst = false) {
      const match = yield* this.#find(line, at, goesOn)
      if (match === undefined || match.start >= until) return
      if (isFirst || match.end > match.start) take(match.start, match.end)
      if (line.length <= LONG_LINE_LENGTH) return
      at = Math.max(match.end, match.start + 1)
    }
  }

  /** Return whether a text has a match. The generator yields about every 2 ms. */
  *test(text: string): Generator<undefined, boolean> {
    return (yield* this.#endOf(this.#any ?? this.#forward, text, 0, EDGE)) >= 0
  }

  *#find(text: string, from: number, goesOn: boolean): Generator<undefined, ByteSpan | undefined> {
    const edge = goesOn ? OPEN_EDGE : EDGE
    if (this.#any !== undefined && (yield* this.#endOf(this.#any, text, from, edge)) < 0) return undefined
    const end = yield* this.#endOf(this.#forward, text, from, edge)
    return end < 0 ? undefined : { start: yield* this.#startOf(text, from, end, edge), end }
  }

  *#endOf(forward: Automaton, text: string, from: number, edge: number): Generator<undefined, number> {
    const alphabet = this.#alphabet
    let state = forward.start(from === 0 ? EDGE : alphabet.before(text, from))
    let end = -1
    let at = from
    while (at < text.length && !state.isDead) {
      const unit = text.charCodeAt(at)
      const isPair = alphabet.unicode && isLead(unit) && isTrail(text.charCodeAt(at + 1))
      state = forward.follow(state, alphabet.classOf(isPair ? text.codePointAt(at)! : unit))
      if (state.isMatch) end = at
      at += isPair ? 2 : 1
      if (++alphabet.work > WORK_OF_A_SLICE) yield* this.#pause()
    }
    if (!state.isDead && forward.follow(state, edge).isMatch) end = text.length
    return end
  }

  *#startOf(text: string, from: number, end: number, edge: number): Generator<undefined, number> {
    const alphabet = this.#alphabet
    const backward = this.#backward
    let state = backward.start(end === text.length ? edge : alphabet.at(text, end))
    let start = end
    let at = end
    while (!state.isDead) {
      const unit = text.charCodeAt(at - 1)
      const isPair = alphabet.unicode && isTrail(unit) && isLead(text.charCodeAt(at - 2))
      const character = at === 0 ? EDGE : alphabet.classOf(isPair ? text.codePointAt(at - 2)! : unit)
      state = backward.follow(state, character)
      if (state.isMatch) start = at
      if (at <= from) break
      at -= isPair ? 2 : 1
      if (++alphabet.work > WORK_OF_A_SLICE) yield* this.#pause()
    }
    return start
  }

  *#pause(): Generator<undefined, void> {
    this.#alphabet.work = 0
    yield
  }
}

const isLead = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isTrail = (unit: number): boolean => (unit & 0xfc00) === 0xdc00

/** Character classes for the end of a text, and for the end of a part of a text. */
const EDGE = 0
const OPEN_EDGE = 1

/** Divides characters into classes. The program treats all characters of one class alike. */
class Alphabet {
  readonly unicode: boolean
  /** Amount of work since the last pause. */
  work = 0
  readonly #flags: string
  readonly #sources = new Map<string, number>()
  readonly #tests: RegExp[] = []
  readonly #classes = new Uint16Array(0x10000)
  readonly #pairs = new Map<number, number>()
  readonly #known = new Map<string, number>()
  readonly #members: (readonly boolean[])[] = [[], []]

  constructor(flags: string) {
    this.unicode = flags.includes('u')
    this.#flags = flags
    this.setOf('\\w')
  }

  setOf(source: string): number {
    let index = this.#sources.get(source)
    if (index === undefined) {
      index = this.#tests.push(new RegExp(`^(?:${source})$`, this.#flags)) - 1
      this.#sources.set(source, index)
    }
    return index
  }

  includes(set: number, character: number): boolean {
    return this.#members[character]![set] === true
  }

  isWord(character: number): boolean {
    return this.includes(0, character)
  }

  /** Return a class that is equal for `$` and `\b`: the edge, a word character, or another character. */
  kindOf(character: number): number {
    return character <= OPEN_EDGE ? character : this.classOf(this.isWord(character) ? 0x30 : 0x20)
  }

  classOf(character: number): number {
    return (character > 0xffff ? this.#pairs.get(character) : this.#classes[character]) || this.#classify(character)
  }

  at(text: string, index: number): number {
    return this.classOf(this.unicode ? text.codePointAt(index)! : text.charCodeAt(index))
  }

  before(text: string, index: number): number {
    const isPair = this.unicode && isTrail(text.charCodeAt(index - 1)) && isLead(text.charCodeAt(index - 2))
    return this.at(text, index - (isPair ? 2 : 1))
  }

  #classify(character: number): number {
    this.work += this.#tests.length
    const text = String.fromCodePoint(character)
    const members = this.#tests.map((test) => test.test(text))
    const key = members.map(Number).join('')
    const known = this.#known.get(key) ?? this.#members.push(members) - 1
    this.#known.set(key, known)
    if (character > 0xffff) this.#pairs.set(character, known)
    else this.#classes[character] = known
    return known
  }
}

type Assertion =
  | { readonly kind: 'edge'; readonly ahead: boolean; readonly next: number }
  | { readonly kind: 'boundary'; readonly negate: boolean; readonly next: number }

type Instruction =
  | Assertion
  | { readonly kind: 'match' }
  | { readonly kind: 'character'; readonly set: number; readonly next: number }
  | { readonly kind: 'split'; readonly first: number; readonly second: number }

interface Program {
  readonly instructions: readonly Instruction[]
  /**
   * The group of each position. The optional copies of a body have the same groups. A position in a later copy can
   * reach the same positions as the earlier copies, so it replaces the earlier positions of its group.
   */
  readonly groups: readonly number[]
  readonly start: number
  readonly seesEdges: boolean
}

const ANY: PatternNode = { kind: 'character', source: '[^]', set: EVERY_CHARACTER }

function compile(tree: PatternNode, alphabet: Alphabet, isSearch: boolean): Program | undefined {
  const instructions: Instruction[] = [{ kind: 'match' }]
  const groups = [0]
  let left = MAX_PROGRAM
  let isRegular = true

  function add(instruction: Instruction): number {
    groups.push(groups.length)
    return instructions.push(instruction) - 1
  }

  /** Add a node that continues at the position `next`. Returns the position of the node. */
  function addNode(node: PatternNode, next: number): number {
    if (--left < 0) return next
    switch (node.kind) {
      case 'character':
        return add({ kind: 'character', set: alphabet.setOf(node.source), next })
      case 'edge':
      case 'boundary':
        return add({ ...node, next })
      case 'sequence':
        return node.parts.reduceRight((behind, part) => addNode(part, behind), next)
      case 'choice':
        return node.branches
          .map((branch) => addNode(branch, next))
          .reduceRight((second, first) => add({ kind: 'split', first, second }))
      case 'repeat':
        return addRepeat(node, next)
      case 'look':
      case 'reference':
        isRegular = false
        return next
    }
  }

  function addRepeat({ body, min, max, greedy }: RepeatNode, next: number): number {
    const split = (inside: number): Instruction =>
      greedy ? { kind: 'split', first: inside, second: next } : { kind: 'split', first: next, second: inside }
    let start = next
    if (max === Infinity) {
      start = add({ kind: 'match' })
      instructions[start] = split(addNode(body, start))
    }
    const copies = instructions.length
    for (let count = min; max < Infinity && count < max && left > 0; count++) {
      const copy = instructions.length
      start = add(split(addNode(body, start)))
      for (let at = copy; at < instructions.length; at++) if (groups[at] === at) groups[at] = copies + at - copy
    }
    for (let count = 0; count < min && left > 0; count++) start = addNode(body, start)
    return start
  }

  const match = addNode(tree, 0)
  const later: RepeatNode = { kind: 'repeat', body: ANY, min: 0, max: Infinity, greedy: false }
  const start = isSearch ? addRepeat(later, match) : match
  const seesEdges = instructions.some(({ kind }) => kind === 'edge' || kind === 'boundary')
  return left < 0 || !isRegular ? undefined : { instructions, groups, start, seesEdges }
}

interface State {
  /** Program positions after the character, the preferred ones first. */
  readonly positions: Uint16Array
  /** The class of the character that leads to the state, reduced to its effect on `$` and `\b`. */
  readonly entry: number
  /** Whether a match ends before this character. */
  readonly isMatch: boolean
  readonly isDead: boolean
  readonly next: State[]
}

function positionSet({ groups }: Program) {
  let round = 0
  /** For each group, the last round in which one of its positions was added, and the largest position of that round. */
  const rounds = new Uint32Array(groups.length)
  const greatest = new Uint16Array(groups.length)

  function clear(): void {
    round++
  }

  function add(position: number): boolean {
    const group = groups[position]!
    if (rounds[group] === round && greatest[group]! >= position) return false
    rounds[group] = round
    greatest[group] = position
    return true
  }

  return { clear, add }
}

type Automaton = ReturnType<typeof automaton>

function automaton(program: Program, alphabet: Alphabet, wanted: 'preferred' | 'any' | 'longest') {
  const states = new Map<string, State>()
  let kept = 0
  const visited = positionSet(program)
  const added = positionSet(program)

  function start(entry: number): State {
    return stateOf([program.start], entry, false)
  }

  function follow(state: State, character: number): State {
    return state.next[character] ?? step(state, character)
  }

  function step(state: State, character: number): State {
    const { instructions } = program
    visited.clear()
    added.clear()
    const positions: number[] = []
    const stack = Array.from(state.positions).toReversed()
    let isMatch = false
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (!visited.add(at)) continue
      alphabet.work++
      const instruction = instructions[at]!
      if (instruction.kind === 'match') {
        isMatch = true
        // Positions after a match are less preferred than the match.
        if (wanted !== 'longest') break
      } else if (instruction.kind === 'split') {
        stack.push(instruction.second, instruction.first)
      } else if (instruction.kind !== 'character') {
        if (holds(instruction, state.entry, character)) stack.push(instruction.next)
      } else if (alphabet.includes(instruction.set, character) && added.add(instruction.next)) {
        positions.push(instruction.next)
      }
    }
    if (wanted === 'any' && isMatch) positions.length = 0
    if (wanted !== 'preferred') positions.sort((a, b) => b - a)
    const next = stateOf(positions, character, isMatch)
    state.next[character] = next
    kept++
    return next
  }

  function holds(assertion: Assertion, entry: number, character: number): boolean {
    if (assertion.kind === 'edge') return (assertion.ahead ? character : entry) === EDGE
    if (entry === OPEN_EDGE || character === OPEN_EDGE) return false
    return (alphabet.isWord(entry) === alphabet.isWord(character)) === assertion.negate
  }

  function stateOf(positions: readonly number[], character: number, isMatch: boolean): State {
    const entry = program.seesEdges ? alphabet.kindOf(character) : EDGE
    const key = String.fromCharCode(entry, Number(isMatch), ...positions)
    const known = states.get(key)
    if (known !== undefined) return known
    kept += positions.length
    if (kept > MAX_KEPT) forget()
    const state: State = {
      positions: Uint16Array.from(positions),
      entry,
      isMatch,
      isDead: positions.length === 0,
      next: [],
    }
    states.set(key, state)
    return state
  }

  function forget(): void {
    // States in use must not lead to deleted states.
    for (const state of states.values()) state.next.length = 0
    states.clear()
    kept = 0
  }

  return { start, follow }
}
