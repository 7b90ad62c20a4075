import { consumes } from './consumes.ts'
import type { PatternNode } from './pattern-tree.ts'

/** An expression in two: once the head has matched, what is behind it always does. */
export interface SplitPattern {
  readonly head: PatternNode
  /** To match what is behind the head takes at most this, times one more than the characters that it consumes. */
  readonly tailCost: number
}

/** Return what a node costs at most, however long the line; `undefined` where that depends on the line. */
export type ConstantCost = (node: PatternNode) => number | undefined

/**
 * Take off what a match may end with, never fails at, and pays for by what it consumes: `.*` of `ERROR.*`, all but one
 * digit of `\d+`. The head is then all that has to be tried again from place to place.
 */
export function splitTail(node: PatternNode, constantCost: ConstantCost): SplitPattern {
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

/**
 * Return what a node that always matches costs, as `tailCost` does; `undefined` for any other.
 *
 * A repeat of what has characters is never entered again once it has ended, because what follows does not fail either. Each
 * of its iterations pays for itself by a character, and the last one, which fails, does so in its head.
 */
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
