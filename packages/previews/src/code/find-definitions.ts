import type { Language, Node, Tree } from 'web-tree-sitter'
import type { DefinitionRule, Grammar } from './grammar.ts'

/** A definition in a skeleton. */
export interface FoundDefinition {
  readonly name: string
  readonly kind: string
  /** Where its name, it and its body begin, and where it ends, in the skeleton. */
  readonly nameStart: number
  readonly start: number
  readonly bodyStart: number
  readonly end: number
  /** How many definitions it stands in. */
  readonly depth: number
  readonly announces: boolean
}

/** Which nodes a search goes into, as numbers of a language. */
export interface SearchPlan {
  /** For each type of node what is done at it. */
  readonly actions: Uint8Array
  readonly rules: ReadonlyMap<number, DefinitionRule>
}

const PASSAGE = 1
const BODY = 2
const DEFINITION = 4

/** Longest name. */
const LONGEST_NAME = 200

/** Look up the types of nodes that a grammar names in the language. */
export function planSearch(language: Language, grammar: Grammar): SearchPlan {
  const passages = new Set(grammar.passages.split(' '))
  const bodies = new Set(grammar.bodies.split(' '))
  const actions = new Uint8Array(language.types.length)
  const rules = new Map<number, DefinitionRule>()
  for (const [id, type] of language.types.entries()) {
    if (!language.nodeTypeIsNamed(id)) continue
    const rule = Object.hasOwn(grammar.definitions, type) ? grammar.definitions[type] : undefined
    if (rule !== undefined) rules.set(id, typeof rule === 'string' ? { kind: rule } : rule)
    actions[id] =
      (passages.has(type) ? PASSAGE : 0) | (bodies.has(type) ? BODY : 0) | (rule === undefined ? 0 : DEFINITION)
  }
  return { actions, rules }
}

/**
 * Find the definitions of a tree, in the order in which they begin.
 *
 * Only nodes of the plan are entered, so the search is as short as the outline, however deep the tree is.
 *
 * @param onBody - Called with where the body of a definition begins.
 */
export function findDefinitions(tree: Tree, plan: SearchPlan, onBody: (start: number) => void): FoundDefinition[] {
  const found: FoundDefinition[] = []
  const cursor = tree.walk()
  /** For each node around the cursor, whether what is in it is one level deeper. */
  const around: boolean[] = []
  let depth = 0
  try {
    for (let goesOn = true; goesOn;) {
      const type = cursor.nodeTypeId
      const isError = type === 65_535
      const action = isError ? PASSAGE : (plan.actions[type] ?? 0)
      if ((action & BODY) !== 0) onBody(cursor.startIndex)
      const rule = (action & DEFINITION) === 0 ? undefined : plan.rules.get(type)
      const definition = rule === undefined ? undefined : defined(cursor.currentNode, rule, depth)
      if (definition !== undefined) found.push(definition)
      if (action !== 0 && cursor.gotoFirstChild()) {
        const encloses = definition !== undefined && rule?.alongside !== true
        around.push(encloses)
        if (encloses) depth++
        continue
      }
      while (!cursor.gotoNextSibling()) {
        if (around.length === 0 || !cursor.gotoParent()) {
          goesOn = false
          break
        }
        if (around.pop() === true) depth--
      }
    }
  } finally {
    cursor.delete()
  }
  return found
}

function defined(node: Node, rule: DefinitionRule, depth: number): FoundDefinition | undefined {
  const named = rule.name === undefined ? node.childForFieldName('name') : rule.name(node)
  if (named === null || named === undefined) return undefined
  const nameStart = named.startIndex
  const name = named.text
    .slice(0, LONGEST_NAME)
    .replace(/\s+/g, ' ')
    .replace(/^\s*["']|["']\s*$/g, '')
  if (name === '') return undefined
  const body = node.childForFieldName('body')
  return {
    name,
    kind: typeof rule.kind === 'string' ? rule.kind : rule.kind(node),
    nameStart,
    start: node.startIndex,
    bodyStart: body === null ? node.endIndex : body.startIndex,
    end: node.endIndex,
    depth: depth + (rule.member?.(node) === true ? 1 : 0),
    announces: rule.announces === true,
  }
}
