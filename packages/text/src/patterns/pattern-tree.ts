import type { AST } from '@eslint-community/regexpp'
import { complementWithCases, withAllCases } from './case-variants.ts'
import {
  complementOf,
  DIGITS,
  EVERY_CHARACTER,
  sizeOf,
  SPACES,
  unionOf,
  WORD_CHARACTERS,
  type CharacterSet,
} from './character-set.ts'
import type { ExpressionFlags } from './parse-expression.ts'

/**
 * What an expression matches, as far as it is needed to reason about it.
 *
 * Parts of sequences are in the order in which they are matched: inside look-behind from the last to the first.
 */
export type PatternNode =
  | CharacterNode
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | RepeatNode
  /** The edge of the line: `ahead` is the one towards which is matched. */
  | { readonly kind: 'edge'; readonly ahead: boolean }
  | { readonly kind: 'boundary' }
  | { readonly kind: 'look'; readonly body: PatternNode }
  | { readonly kind: 'reference' }

/** One character of a set. */
export interface CharacterNode {
  readonly kind: 'character'
  /** What it matches, or more. */
  readonly set: CharacterSet
  /** All that it matches, where these are few; with the flag `i` in lower-case ASCII, and only where they are of ASCII. */
  readonly few?: readonly number[]
}

/** A quantifier; greedy or not, it has the same ways to match. */
export interface RepeatNode {
  readonly kind: 'repeat'
  readonly body: PatternNode
  readonly min: number
  readonly max: number
}

/** A class of more characters than this is not one of a few strings. */
const FEW = 4

/** Build the tree of an expression. */
export function patternTree(pattern: AST.Pattern, flags: ExpressionFlags): PatternNode {
  return choiceNode(pattern.alternatives, flags, false)
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
      return { kind: 'repeat', body, min: node.min, max: node.max }
    }
    case 'Group':
    case 'CapturingGroup':
      return choiceNode(node.alternatives, flags, isBehind)
    case 'Backreference':
      return { kind: 'reference' }
    case 'Assertion':
      if ('alternatives' in node)
        return { kind: 'look', body: choiceNode(node.alternatives, flags, node.kind === 'lookbehind') }
      return node.kind === 'word' ? { kind: 'boundary' } : { kind: 'edge', ahead: (node.kind === 'end') !== isBehind }
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return characterNode(node, flags)
    case 'ExpressionCharacterClass':
      return { kind: 'character', set: EVERY_CHARACTER }
  }
}

function characterNode(
  node: AST.Character | AST.CharacterSet | AST.CharacterClass,
  { ignoreCase, unicode }: ExpressionFlags,
): CharacterNode {
  const members = node.type === 'CharacterClass' ? unionOf(...node.elements.map(memberSet)) : memberSet(node)
  const isNegated = node.type === 'CharacterClass' && node.negate
  if (isNegated) {
    if (node.elements.some((element) => element.type === 'CharacterSet' && element.kind === 'property'))
      return { kind: 'character', set: EVERY_CHARACTER }
    return { kind: 'character', set: ignoreCase ? complementWithCases(members) : complementOf(members) }
  }
  const set = ignoreCase ? withAllCases(members, unicode) : members
  const few = sizeOf(members) <= FEW * 2 ? fewCharacters(members, set, ignoreCase) : undefined
  return { kind: 'character', set, ...(few && { few }) }
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
