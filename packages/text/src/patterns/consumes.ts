import type { PatternNode } from './pattern-tree.ts'

/** Return whether each match of a node has a character. */
export function consumes(node: PatternNode): boolean {
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
