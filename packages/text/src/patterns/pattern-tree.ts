import { RegExpParser, RegExpSyntaxError, type AST } from '@eslint-community/regexpp'

/** A node of an expression's tree. A sequence is in the order of matching: in look-behind, the last part is first. */
export type PatternNode =
  | CharacterNode
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | RepeatNode
  /** The start or end of the line. `ahead` means the edge in the direction of matching. */
  | { readonly kind: 'edge'; readonly ahead: boolean }
  | { readonly kind: 'boundary'; readonly negate: boolean }
  | { readonly kind: 'look'; readonly body: PatternNode }
  | { readonly kind: 'reference' }

interface CharacterNode {
  readonly kind: 'character'
  /** An expression that matches exactly one of these characters. */
  readonly source: string
  /** A superset of the characters that match. */
  readonly set: CharacterSet
  /** All characters that match, if there are only a few. If the flag `i` is set, they are ASCII in lower case. */
  readonly few?: readonly number[]
}

export interface RepeatNode {
  readonly kind: 'repeat'
  readonly greedy: boolean
  readonly body: PatternNode
  readonly min: number
  readonly max: number
}

const FEW = 4

/** Return the tree of a pattern. If `isBehind`, return the tree for matching from the end to the start. */
export function patternTree(pattern: AST.Pattern, flags: ExpressionFlags, isBehind = false): PatternNode {
  return choiceNode(pattern.alternatives, flags, isBehind)
}

function choiceNode(branches: readonly AST.Alternative[], flags: ExpressionFlags, isBehind: boolean): PatternNode {
  const nodes = branches.map(({ elements }) => sequenceNode(elements, flags, isBehind))
  return nodes.length === 1 ? nodes[0]! : { kind: 'choice', branches: nodes }
}

function sequenceNode(elements: readonly AST.Element[], flags: ExpressionFlags, isBehind: boolean): PatternNode {
  const parts = (isBehind ? elements.toReversed() : elements).flatMap((element) => {
    const node = elementNode(element, flags, isBehind)
    return node.kind === 'sequence' ? node.parts : [node]
  })
  return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }
}

function elementNode(node: AST.Element, flags: ExpressionFlags, isBehind: boolean): PatternNode {
  switch (node.type) {
    case 'Quantifier': {
      const body = elementNode(node.element, flags, isBehind)
      return { kind: 'repeat', body, min: node.min, max: node.max, greedy: node.greedy }
    }
    case 'Group':
    case 'CapturingGroup':
      return choiceNode(node.alternatives, flags, isBehind)
    case 'Backreference':
      return { kind: 'reference' }
    case 'Assertion':
      if ('alternatives' in node)
        return { kind: 'look', body: choiceNode(node.alternatives, flags, node.kind === 'lookbehind') }
      if (node.kind === 'word') return { kind: 'boundary', negate: node.negate }
      return { kind: 'edge', ahead: (node.kind === 'end') !== isBehind }
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return characterNode(node, flags)
    case 'ExpressionCharacterClass':
      return { kind: 'character', source: node.raw, set: EVERY_CHARACTER }
  }
}

function characterNode(
  node: AST.Character | AST.CharacterSet | AST.CharacterClass,
  { ignoreCase, unicode }: ExpressionFlags,
): CharacterNode {
  const members = node.type === 'CharacterClass' ? unionOf(...node.elements.map(memberSet)) : memberSet(node)
  const isNegated = node.type === 'CharacterClass' && node.negate
  const source = node.type === 'Character' ? characterSource(node.value, unicode) : node.raw
  if (isNegated) {
    if (node.elements.some((element) => element.type === 'CharacterSet' && element.kind === 'property'))
      return { kind: 'character', source, set: EVERY_CHARACTER }
    return { kind: 'character', source, set: ignoreCase ? complementWithCases(members) : complementOf(members) }
  }
  const set = ignoreCase ? withAllCases(members, unicode) : members
  const few = sizeOf(members) <= FEW * 2 ? fewCharacters(members, set, ignoreCase) : undefined
  return { kind: 'character', source, set, ...(few && { few }) }
}

/** Write a character by its number, because some characters are not valid expressions, for example a backslash. */
function characterSource(character: number, unicode: boolean): string {
  const digits = character.toString(16)
  return unicode ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`
}

function fewCharacters(members: CharacterSet, set: CharacterSet, ignoreCase: boolean): readonly number[] | undefined {
  const characters = members.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  )
  if (ignoreCase && set.some(([, last]) => last >= 0x80)) return undefined
  const lower = (character: number): number => (character >= 0x41 && character <= 0x5a ? character + 0x20 : character)
  const few = ignoreCase ? [...new Set(characters.map(lower))] : characters
  return few.length <= FEW ? few : undefined
}

function memberSet(node: AST.CharacterClassElement | AST.CharacterSet | AST.CharacterClass): CharacterSet {
  if (node.type === 'Character') return [[node.value, node.value]]
  if (node.type === 'CharacterClassRange') return [[node.min.value, node.max.value]]
  if (node.type !== 'CharacterSet' || node.kind === 'any' || node.kind === 'property') return EVERY_CHARACTER
  const set = { digit: DIGITS, space: SPACES, word: WORD_CHARACTERS }[node.kind]
  return node.negate ? complementOf(set) : set
}

export interface ExpressionFlags {
  readonly ignoreCase: boolean
  readonly unicode: boolean
}

const PARSER = new RegExpParser({ ecmaVersion: 2025 })

/** Parse a JavaScript expression. Without the flag `u`, Annex B applies. Throws a {@link SyntaxFailure}. */
export function parseExpression(source: string, unicode: boolean): AST.Pattern {
  try {
    return PARSER.parsePattern(source, 0, source.length, { unicode })
  } catch (error) {
    if (!(error instanceof RegExpSyntaxError)) throw error
    throw new SyntaxFailure(reasonOf(error))
  }
}

/** Throw a {@link SyntaxFailure} if the engine cannot compile an expression. A prefix ensures that it never runs. */
export function assertCompiles(source: string, flags: string): void {
  try {
    new RegExp(`\\0(?:${source})`, flags).test('q')
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SyntaxFailure(reasonOf(error))
  }
}

/** Extract the reason from `Invalid regular expression: /(/s: Unterminated group`. */
function reasonOf({ message }: Error): string {
  return message.slice(message.lastIndexOf(': ') + 2)
}

export class SyntaxFailure extends Error {
  override readonly name = 'SyntaxFailure'
}

/** Ranges of UTF-16 units, code points, and {@link TEXT_EDGE}. The ranges are inclusive, sorted, and not adjacent. */
export type CharacterSet = readonly (readonly [first: number, last: number])[]
const LAST_CODE_POINT = 0x10ffff
const EDGE = LAST_CODE_POINT + 1
export const NO_CHARACTER: CharacterSet = []
export const EVERY_CHARACTER: CharacterSet = [[0, LAST_CODE_POINT]]
/** The end of a line in the direction of matching, treated as a character. */
export const TEXT_EDGE: CharacterSet = [[EDGE, EDGE]]
export const DIGITS: CharacterSet = [[0x30, 0x39]]
/** The characters of `\w`, unless the flags `i` and `u` are both set. */
export const WORD_CHARACTERS: CharacterSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]
export const SPACES: CharacterSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

export function unionOf(...sets: readonly CharacterSet[]): CharacterSet {
  const filled = sets.filter((set) => set.length > 0)
  if (filled.length < 2) return filled[0] ?? NO_CHARACTER
  const union: [number, number][] = []
  for (const [first, last] of filled.flat().toSorted((a, b) => a[0] - b[0])) {
    const before = union.at(-1)
    if (before === undefined || before[1] + 1 < first) union.push([first, last])
    else before[1] = Math.max(before[1], last)
  }
  return union
}

export function complementOf(set: CharacterSet): CharacterSet {
  const complement: [number, number][] = []
  let next = 0
  for (const [first, last] of set) {
    if (next < first) complement.push([next, Math.min(first - 1, LAST_CODE_POINT)])
    next = last + 1
  }
  if (next <= LAST_CODE_POINT) complement.push([next, LAST_CODE_POINT])
  return complement
}

export function areDisjoint(one: CharacterSet, other: CharacterSet): boolean {
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    const [first, last] = one[i]!
    const [otherFirst, otherLast] = other[j]!
    if (last < otherFirst) i++
    else if (otherLast < first) j++
    else return false
  }
  return true
}

export function sizeOf(set: CharacterSet): number {
  return set.reduce((size, [first, last]) => size + last - first + 1, 0)
}

export function includesCharacter(set: CharacterSet, character: number): boolean {
  return !areDisjoint(set, [[character, character]])
}

const NON_ASCII: CharacterSet = [[0x80, 0x10ffff]]
/** The only characters outside ASCII that equal ASCII letters if `i` and `u` are set: `ſ` and the Kelvin sign. */
const LONG_S_AND_KELVIN: CharacterSet = [
  [0x017f, 0x017f],
  [0x212a, 0x212a],
]
const S_AND_K: CharacterSet = [
  [0x4b, 0x4b],
  [0x53, 0x53],
  [0x6b, 0x6b],
  [0x73, 0x73],
]

function withAsciiCases(set: CharacterSet): CharacterSet {
  const lower = shifted(set, 0x41, 0x5a, 0x20)
  const upper = shifted(set, 0x61, 0x7a, -0x20)
  return unionOf(set, lower, upper)
}

/** Add a superset of the characters that the flag `i` adds. If a character is not ASCII, add all that are not ASCII. */
export function withAllCases(set: CharacterSet, unicode: boolean): CharacterSet {
  const ascii = withAsciiCases(set)
  const sets = [ascii]
  if (set.some(([, last]) => last >= 0x80)) sets.push(NON_ASCII, ...(unicode ? [S_AND_K] : []))
  if (unicode && S_AND_K.some(([character]) => includesCharacter(ascii, character))) sets.push(LONG_S_AND_KELVIN)
  return unionOf(...sets)
}

/** Return a superset of the matches of `[^…]` with these members and the flag `i`. */
export function complementWithCases(members: CharacterSet): CharacterSet {
  return complementOf(withAsciiCases(members))
}

function shifted(set: CharacterSet, first: number, last: number, by: number): CharacterSet {
  return set
    .filter((range) => range[0] <= last && range[1] >= first)
    .map((range) => [Math.max(range[0], first) + by, Math.min(range[1], last) + by] as const)
}
