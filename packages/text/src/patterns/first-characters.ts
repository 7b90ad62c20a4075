import { EVERY_CHARACTER, NO_CHARACTER, TEXT_EDGE, unionOf, type CharacterSet } from './character-set.ts'
import type { PatternNode } from './pattern-tree.ts'

/** What a match of a node can begin with. */
export interface First {
  /** The characters, or more, and the edge where that is what is matched. */
  readonly set: CharacterSet
  /** Whether what follows may decide: there is a match of no characters that is not just the edge. */
  readonly isEmpty: boolean
}

/** Compute what matches of the nodes of one tree begin with, each once. */
export class FirstCharacters {
  readonly #known = new WeakMap<PatternNode, First>()

  /** Return what a match of `node` can begin with. */
  of(node: PatternNode): First {
    const known = this.#known.get(node)
    if (known !== undefined) return known
    const first = this.#compute(node)
    this.#known.set(node, first)
    return first
  }

  /** Return what a match of `node` and what follows it can begin with. */
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
