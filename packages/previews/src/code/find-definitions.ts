import type { Language, Node, Tree } from 'web-tree-sitter'
import type { DefinitionRule, Grammar } from './grammar.ts'

export interface FoundDefinition {
  readonly name: string
  readonly kind: string
  /** Offsets in the skeleton. */
  readonly nameStart: number
  readonly start: number
  readonly bodyStart: number
  readonly end: number
  /** Number of enclosing definitions. */
  readonly depth: number
  readonly announces: boolean
}

export interface SearchPlan {
  /** Action by node type. */
  readonly actions: Uint8Array
  readonly rules: ReadonlyMap<number, DefinitionRule>
}

const PASSAGE = 1
const BODY = 2
const DEFINITION = 4
const LONGEST_NAME = 200

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
 * Returns definitions in the order of their starts. Enters only nodes of the plan, so that deep trees cost little.
 *
 * @param onBody - Called with the start of a definition's body.
 */
export function findDefinitions(tree: Tree, plan: SearchPlan, onBody: (start: number) => void): FoundDefinition[] {
  const found: FoundDefinition[] = []
  const cursor = tree.walk()
  /** For each enclosing node, whether its content is one level deeper. */
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
